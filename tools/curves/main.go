// Command curves draws docs/growth.svg, which shows how the costs of programs grow with the pages,
// and prints the same figures as a table for docs/performance.md. It reads bench/growth.txt, which
// `task bench:growth` writes.
//
// It must run in the directory of module tools.
package main

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

func main() {
	if err := run("..", os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(root string, out io.Writer) error {
	f, err := read(root + "/bench/growth.txt")
	if err != nil {
		return err
	}
	picture, err := f.picture()
	if err != nil {
		return err
	}
	if err := os.WriteFile(root+"/docs/growth.svg", picture, 0o666); err != nil {
		return err
	}
	_, err = io.WriteString(out, f.table())
	return err
}

// figures are all measured values.
type figures map[figure][]float64

// A figure is what was measured, in which unit, for how many pages.
type figure struct {
	work, unit string
	pages      int
}

// read reads the lines of benchmarks called Growth/pages=N/work=WORK and Warm/cache=N/op=WORK. The
// latter are known as "warm WORK".
func read(path string) (figures, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := figures{}
	lines := benchfmt.NewReader(f, path)
	for lines.Scan() {
		switch line := lines.Result().(type) {
		case *benchfmt.Result:
			if err := all.add(line); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		case *benchfmt.SyntaxError:
			return nil, line
		}
	}
	return all, lines.Err()
}

func (f figures) add(line *benchfmt.Result) error {
	parts := strings.Split(strings.TrimSuffix(line.Name.String(), gomaxprocs(line.Name)), "/")
	if len(parts) != 3 {
		return fmt.Errorf("%s: want the number of pages, and what was measured", line.Name)
	}
	_, number, _ := strings.Cut(parts[1], "=")
	_, work, _ := strings.Cut(parts[2], "=")
	pages, err := strconv.Atoi(number)
	if err != nil {
		return fmt.Errorf("%s: %q is not a number of pages", line.Name, number)
	}
	if parts[0] == "Warm" {
		work = "warm " + work
	}
	for _, v := range line.Values {
		of := figure{work, v.Unit, pages}
		f[of] = append(f[of], v.Value)
	}
	return nil
}

// gomaxprocs returns the end of a name that says on how many processors it ran, such as "-2".
func gomaxprocs(name benchfmt.Name) string {
	_, parts := name.Parts()
	if last := string(parts[len(parts)-1]); strings.HasPrefix(last, "-") {
		return last
	}
	return ""
}

// median returns the middle of what was measured, or the higher of two in the middle. It is 0 if
// nothing was.
func (f figures) median(work, unit string, pages int) float64 {
	all := slices.Sorted(slices.Values(f[figure{work, unit, pages}]))
	if len(all) == 0 {
		return 0
	}
	return all[len(all)/2]
}

// pages returns the numbers of pages, in ascending order.
func (f figures) pages() (all []int) {
	for of := range f {
		if !slices.Contains(all, of.pages) {
			all = append(all, of.pages)
		}
	}
	slices.Sort(all)
	return all
}

// Units of benchfmt, which turns ns into sec.
const (
	wall = "sec/op"
	cpu  = "cpu-sec/op"
	peak = "peak-B"
	p50  = "p50-ms"
	p99  = "p99-ms"
)

// A series is a curve of the picture.
type series struct {
	name, work, unit string
	factor           float64 // from the unit to that of the panel
}

// panels of the picture, from left to right. All their axes are logarithmic.
var panels = []struct {
	title  string
	series []series
}{
	{"CPU time, in seconds", []series{
		{"build", "build", cpu, 1},
		{"verify", "verify", cpu, 1},
		{"SQLite index", "fts5-index", cpu, 1},
		{"floor", "floor", cpu, 1},
		{"merge of 8 shards", "merge", cpu, 1},
		{"rebuild, nothing changed", "rebuild", cpu, 1},
	}},
	{"Peak memory, in MiB", []series{
		{"build", "build", peak, 1. / (1 << 20)},
		{"verify", "verify", peak, 1. / (1 << 20)},
		{"SQLite index", "fts5-index", peak, 1. / (1 << 20)},
		{"merge of 8 shards", "merge", peak, 1. / (1 << 20)},
		{"rebuild, nothing changed", "rebuild", peak, 1. / (1 << 20)},
		{"resolve", "resolve", peak, 1. / (1 << 20)},
	}},
	{"Time of an answer, in milliseconds", []series{
		{"SQLite query", "fts5-query", wall, 1000},
		{"resolve", "resolve", wall, 1000},
		{"warm search, p99", "warm search", p99, 1},
		{"warm search, p50", "warm search", p50, 1},
		{"warm ask, p50", "warm ask", p50, 1},
	}},
}

// colours can be told apart by people who don't see all colours (after Okabe and Ito).
var colours = []color.Color{
	color.RGBA{0x00, 0x72, 0xb2, 0xff},
	color.RGBA{0xd5, 0x5e, 0x00, 0xff},
	color.RGBA{0x00, 0x9e, 0x73, 0xff},
	color.RGBA{0xcc, 0x79, 0xa7, 0xff},
	color.RGBA{0xe6, 0x9f, 0x00, 0xff},
	color.RGBA{0x56, 0xb4, 0xe9, 0xff},
}

// picture returns the panels as an SVG image.
func (f figures) picture() ([]byte, error) {
	row := make([]*plot.Plot, len(panels))
	for i, panel := range panels {
		p := plot.New()
		p.Title.Text = panel.title
		p.X.Label.Text = "pages"
		p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
		p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(decades), plot.TickerFunc(decades)
		p.Legend.Top, p.Legend.Left = true, true
		p.Legend.YOffs = -vg.Points(4)
		p.Legend.XOffs = vg.Points(6)
		p.Legend.Padding = vg.Points(2)
		p.Add(plotter.NewGrid())
		for j, s := range panel.series {
			var points plotter.XYs
			for _, pages := range f.pages() {
				if y := f.median(s.work, s.unit, pages); y > 0 {
					points = append(points, plotter.XY{X: float64(pages), Y: y * s.factor})
				}
			}
			line, dots, err := plotter.NewLinePoints(points)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			line.Color, dots.Color = colours[j], colours[j]
			line.Width, dots.Radius = vg.Points(1.5), vg.Points(2.5)
			dots.Shape = draw.CircleGlyph{}
			p.Add(line, dots)
			p.Legend.Add(s.name, line, dots)
		}
		// Whole decades, and one more for the legend
		p.X.Min, p.X.Max = decade(p.X.Min, false), decade(p.X.Max, true)
		p.Y.Min, p.Y.Max = decade(p.Y.Min, false), 10*decade(p.Y.Max, true)
		row[i] = p
	}
	canvas := vgsvg.New(vg.Points(960), vg.Points(340))
	page := draw.New(canvas)
	page.SetColor(color.White)
	page.Fill(page.Rectangle.Path())
	tiles := draw.Tiles{Rows: 1, Cols: len(row), PadX: vg.Points(12), PadTop: vg.Points(8), PadBottom: vg.Points(6), PadLeft: vg.Points(6), PadRight: vg.Points(16)}
	for i, part := range plot.Align([][]*plot.Plot{row}, tiles, page)[0] {
		row[i].Draw(part)
	}
	var svg bytes.Buffer
	_, err := canvas.WriteTo(&svg)
	return svg.Bytes(), err
}

// decade returns the power of 10 below x, or above it.
func decade(x float64, isAbove bool) float64 {
	power := 1.
	for power > x {
		power /= 10
	}
	for power*10 <= x {
		power *= 10
	}
	if isAbove && power < x {
		power *= 10
	}
	return power
}

// decades returns a tick for each power of 10.
func decades(least, most float64) (ticks []plot.Tick) {
	for power := least; power <= most*1.001; power *= 10 {
		ticks = append(ticks, plot.Tick{Value: power, Label: grouped(power)})
	}
	return ticks
}

// grouped formats x with commas between thousands, and at most three decimals.
func grouped(x float64) string {
	text := strings.TrimRight(strings.TrimRight(strconv.FormatFloat(x, 'f', 3, 64), "0"), ".")
	whole, decimals, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if decimals != "" {
		whole += "." + decimals
	}
	return whole
}
