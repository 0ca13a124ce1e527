// Package browser tries the page of `context serve --http` in a real browser. It is a module of its
// own, so its dependencies don't become those of the program.
package browser

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// patience is how long a test waits for the browser, which is slow to start on a busy machine.
const patience = 3 * time.Minute

// screenshot is where TestScreenshot writes the picture of the documentation.
var screenshot = flag.String("screenshot", "", "write the picture of docs/web.md to `FILE`")

// hostile is a page that would do something on a careless page.
const hostile = "# Hostile walrus\n\n<script>window.ran = 1</script>\n\n<img src=x onerror='window.ran = 1'>\n\n![walrus](https://images.example/walrus.png)\n\n" +
	"[walrus](javascript:window.ran=1) <svg onload='window.ran = 1'></svg> <iframe src='https://frames.example/'></iframe>\n\n<style>body { display: none }</style>\n\n" +
	"<meta http-equiv=refresh content='0;url=https://other.example/'>\n"

var program, caches string

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "browser-")
	if err != nil {
		panic(err)
	}
	program, caches = filepath.Join(dir, "context"), filepath.Join(dir, "caches")
	if findBrowser() != "" {
		os.MkdirAll(filepath.Join(dir, "hostile"), 0o777)
		os.WriteFile(filepath.Join(dir, "hostile", "a.md"), []byte(hostile), 0o666)
		for _, line := range []string{
			"go build -C ../.. -o " + program + " ./cmd/context",
			program + " build --sources ../../docs --cache " + caches + "/docs --base-url https://docs.example.com/",
			program + " build --sources ../../docs --exclude [a-d]*.md --cache " + caches + "/older",
			program + " build --sources " + dir + "/hostile --cache " + caches + "/hostile",
		} {
			words := strings.Fields(line)
			if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
				panic(line + ": " + err.Error() + "\n" + string(out))
			}
		}
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

func findBrowser() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// serve starts a server that ends with the test, and returns the address of its page.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, append([]string{"serve", "--http", "127.0.0.1:0"}, args...)...)
	errors, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	lines := bufio.NewScanner(errors)
	for lines.Scan() {
		if _, address, isPage := strings.Cut(lines.Text(), ", open "); isPage {
			return address
		}
	}
	t.Fatal("the server does not say where its page is")
	return ""
}

func serveDocs(t *testing.T) string {
	return serve(t, "--cache", caches+"/docs", "--cache", caches+"/older", "--cache", caches+"/hostile")
}

// A tab is the tab of a separate browser.
type tab struct {
	t    *testing.T
	ctx  context.Context
	mu   sync.Mutex
	hear []string // complaints of the browser, and requests to other hosts
}

// open opens a tab. It skips the test without a browser.
func open(t *testing.T) *tab {
	t.Helper()
	path := findBrowser()
	if path == "" {
		t.Skip("there is no browser: install chromium")
	}
	options := append(
		chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("font-render-hinting", "none"), chromedp.UserDataDir(t.TempDir()), chromedp.WindowSize(1200, 900),
	)
	allocator, cancelAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	b := &tab{t: t}
	started, cancel := chromedp.NewContext(allocator, chromedp.WithListener(b.listen))
	t.Cleanup(func() {
		chromedp.Cancel(started)
		cancel()
		cancelAllocator()
		b.mu.Lock()
		defer b.mu.Unlock()
		for _, complaint := range b.hear {
			t.Errorf("the browser: %s", complaint)
		}
	})
	_, err := chromedp.Call(started, network.Enable, network.EnableParams{})
	if err == nil {
		_, err = chromedp.Call(started, log.Enable, cdp.Empty{})
	}
	if err != nil {
		t.Fatal(err)
	}
	limited, cancelLimited := context.WithTimeout(started, patience)
	t.Cleanup(cancelLimited)
	b.ctx = limited
	return b
}

// listen hears what the browser complains about. Pages answer mistakes with a status above 400,
// which it reports, too.
func (b *tab) listen(event any) {
	complaint := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		complaint = fmt.Sprint(e.ExceptionDetails)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && !strings.Contains(e.Entry.Text, "a status of 4") {
			complaint = e.Entry.Text
		}
	case *network.EventRequestWillBeSent:
		if to, err := url.Parse(e.Request.URL); err != nil || to.Scheme != "data" && to.Scheme != "about" && to.Hostname() != "127.0.0.1" {
			complaint = "a request to " + e.Request.URL
		}
	}
	if complaint != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.hear = append(b.hear, complaint)
	}
}

func (b *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, actions...); err != nil {
		b.t.Fatalf("%v in %s", err, b.text())
	}
}

// text returns the address and the text of the page, for failures.
func (b *tab) text() string {
	text, _ := evaluate[string](b, "location.href + '\\n' + document.body.innerText")
	return text
}

func evaluate[T any](b *tab, expression string) (T, error) {
	return chromedp.Run(b.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// run runs JavaScript.
func (b *tab) run(script string) {
	b.t.Helper()
	if _, err := evaluate[any](b, script); err != nil {
		b.t.Fatal(err)
	}
}

// waitFor waits until a JavaScript expression is true. A new page ends the wait early.
func (b *tab) waitFor(expression string) {
	b.t.Helper()
	const wait = "new Promise((resolve) => { const look = () => (%s) ? resolve(true) : requestAnimationFrame(look); look(); })"
	for {
		isTrue, err := evaluate[bool](b, fmt.Sprintf(wait, expression))
		if isTrue && err == nil {
			return
		}
		if b.ctx.Err() != nil {
			b.t.Fatalf("%s: %v", expression, err)
		}
	}
}

// is fails unless a JavaScript expression is true.
func (b *tab) is(expression string) {
	b.t.Helper()
	if isTrue, err := evaluate[bool](b, "Boolean("+expression+")"); err != nil || !isTrue {
		b.t.Errorf("%s is %v, error %v, in %s", expression, isTrue, err, b.text())
	}
}

const resultsText = "document.querySelector('#results').innerText"

func TestItSearchesAsYouType(t *testing.T) {
	b := open(t)
	page := serveDocs(t)
	b.do(chromedp.Navigate(page), chromedp.SendKeys("#q", "exit status out of date"))
	b.waitFor(resultsText + ".includes('Exit status') && location.search.includes('date')")
	b.is("document.activeElement.id === 'q'")
	b.is("document.querySelector('#results mark')")
	b.is("![...document.querySelectorAll('blockquote')].some((quote) => /[`|]|\\*\\*/.test(quote.innerText))")
	b.is("document.querySelector('#status').innerText === '5 sections'")
	b.is("document.title.startsWith('exit status out of date')")
	b.run("document.querySelector('#q').value = ''")
	b.do(chromedp.SendKeys("#q", "walruses"))
	b.waitFor(resultsText + ".includes('Hostile walrus')")
	b.do(chromedp.Click("#results .hit a"), chromedp.WaitVisible("article"))
	b.is("window.ran === undefined")
	b.is("document.querySelector('.prose').innerText.includes('https://images.example/walrus.png')")
	b.is("document.querySelectorAll('.prose :is(script, img, svg, iframe, style, meta, a)').length === 0")
}

func TestTheSliderShowsWhatFallsOut(t *testing.T) {
	b := open(t)
	b.do(chromedp.Navigate(serveDocs(t)+"ask?cache=docs&q="+url.QueryEscape("how are pages cut into sections and ranked")), chromedp.WaitVisible("article"))
	b.is("document.querySelectorAll('article').length > 1")
	b.do(chromedp.Focus("#budget"), chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(kb.ArrowRight))
	b.waitFor("document.querySelector('#leftout')?.innerText === 'Left out at 200 tokens'")
	b.is("document.querySelector('#tokens').innerText === '200 tokens'")
	b.is("location.search.includes('budget=200')")
	b.is(resultsText + ".includes('does not fit into what is left of the budget')")
	b.is("document.querySelectorAll('article').length <= 1")
	b.is("document.activeElement.id === 'budget'")
	b.do(chromedp.Click("[data-copy=call]"))
	b.waitFor("/^(Copied|Selected)/.test(document.querySelector('#status').innerText)")
}

func TestOutlinesUnfold(t *testing.T) {
	b := open(t)
	b.do(chromedp.Navigate(serveDocs(t)+"outline?cache=docs&budget=8000"), chromedp.WaitVisible(".entry"))
	b.is("document.querySelector('.entry .heading').checkVisibility() === false")
	b.do(chromedp.Focus(".entry summary"), chromedp.KeyEvent(kb.Enter))
	b.is("document.querySelector('.entry .heading').checkVisibility()")
	b.do(chromedp.Click(".entry .heading a"), chromedp.WaitVisible("article"))
}

func TestCompareShowsWhatChanged(t *testing.T) {
	b := open(t)
	b.do(chromedp.Navigate(serveDocs(t)+"compare?q=exit+status&left=docs&right=older"), chromedp.WaitVisible("#changes"))
	b.is("document.querySelector('.alone').innerText === 'only here'")
}

func TestTheKeyboardIsEnough(t *testing.T) {
	b := open(t)
	b.do(chromedp.Navigate(serveDocs(t)+"why?cache=docs"), chromedp.WaitVisible("#q"))
	b.run("document.activeElement.blur()")
	b.do(chromedp.KeyEvent("/"))
	b.is("document.activeElement.id === 'q'")
	b.run("document.activeElement.value = ''") // unlike a person's key, the driver's also types
	b.do(chromedp.KeyEvent("exit status"), chromedp.KeyEvent(kb.Enter))
	b.waitFor(resultsText + ".includes('one sentence covers much of the question: exit, status')")
	b.is("/\\+\\d+%/.test(document.querySelector('#results').innerText) && !/\\d\\.\\d\\d\\d/.test(document.querySelector('.why').innerText)")
	for range 60 {
		b.do(chromedp.KeyEvent(kb.Tab))
		if isLink, _ := evaluate[bool](b, "document.activeElement.matches('.why a')"); isLink {
			break
		}
	}
	b.is("getComputedStyle(document.activeElement).outlineStyle === 'solid'")
	b.do(chromedp.KeyEvent(kb.Enter))
	b.waitFor("location.pathname === '/read' && document.querySelector('.lines')")
	b.run("document.activeElement.blur()")
	b.do(chromedp.KeyEvent(kb.Tab))
	b.is("document.activeElement.matches('a, #id')")
}

func withoutScripts(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
	_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return chromedp.Void{}, err
}

func TestItWorksWithoutJavaScript(t *testing.T) {
	b := open(t)
	b.do(withoutScripts, chromedp.Navigate(serveDocs(t)+"ask"))
	b.do(chromedp.SendKeys("#q", "exit status"), chromedp.Click("form button"), chromedp.WaitVisible("article"))
	b.is("document.querySelector('#status').innerText.includes('within 2,000 tokens')")
	b.is("[...document.querySelectorAll('[data-copy]')].every((button) => button.hidden)")
	b.do(chromedp.Click("nav a[href^='/compare']"), chromedp.WaitVisible(".sides"))
	b.is("document.querySelectorAll('.sides > section').length === 2")
}

func TestTheTokenIsAskedForOnce(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("a-token-of-enough-letters\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	b := open(t)
	page := serve(t, "--cache", caches+"/docs", "--token-file", token)
	b.do(chromedp.Navigate(page+"?q=exit+status"), chromedp.SendKeys("#token", "wrong"), chromedp.Click("form button"), chromedp.WaitVisible("[role=alert]"))
	b.do(chromedp.SendKeys("#token", "a-token-of-enough-letters"+kb.Enter), chromedp.WaitVisible(".hit"))
	b.is("location.search === '?q=exit+status' && document.cookie === ''")
	b.do(chromedp.SendKeys("#q", " codes"))
	b.waitFor("location.search.includes('codes') && document.querySelector('.hit')")
	b.do(chromedp.Click("nav a[href='/session']"), chromedp.WaitVisible("[name=end]"), chromedp.Click("[name=end]"), chromedp.WaitVisible("#token"))
	b.do(chromedp.Navigate(page), chromedp.WaitVisible("#token"))
}

// views are the addresses of all views, with and without an answer.
var views = []string{
	"", "?q=exit+status", "?q=zebra+giraffe+elephant", "?q=x&limit=0", "ask?q=exit+status&cache=docs", "ask?q=zebra+contracts+elephant", "why?q=exit+status",
	"outline", "outline?cache=docs", "read?id=docs:contract.md", "read?id=hostile:a.md", "read?id=none", "compare?q=exit+status&left=docs&right=older", "nothing",
}

func dark(isDark bool) chromedp.Action[chromedp.Void] {
	scheme := map[bool]string{true: "dark", false: "light"}[isDark]
	params := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	return func(ctx context.Context, _ *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, params)
		return chromedp.Void{}, err
	}
}

func TestPhonesAndDarkMode(t *testing.T) {
	b := open(t)
	page := serveDocs(t)
	for _, view := range views {
		b.do(chromedp.EmulateViewport(390, 844), dark(true), chromedp.Navigate(page+view), chromedp.WaitVisible("main"))
		b.is("document.documentElement.scrollWidth <= 390")
		b.is("[...document.querySelectorAll('nav a')].every((a) => a.getBoundingClientRect().right <= 390)")
		b.is("getComputedStyle(document.body).backgroundColor === 'rgb(21, 24, 26)'")
		b.do(dark(false))
		b.is("getComputedStyle(document.body).backgroundColor === 'rgb(251, 250, 247)'")
	}
}

// AXE names the file axe.min.js of axe-core, which looks for barriers.
func TestThereAreNoBarriers(t *testing.T) {
	axe, err := os.ReadFile(os.Getenv("AXE"))
	if err != nil {
		t.Skip("set AXE to the path of axe.min.js, as the task does")
	}
	b := open(t)
	page := serveDocs(t)
	for _, view := range views {
		for _, isDark := range []bool{false, true} {
			width := map[bool]int64{false: 1200, true: 390}[isDark]
			b.do(chromedp.EmulateViewport(width, 900), dark(isDark), chromedp.Navigate(page+view), chromedp.WaitVisible("main"))
			found, err := evaluate[[]string](b, string(axe)+`; axe.run().then((r) => r.violations.filter((v) => v.impact !== "minor")
				.map((v) => v.impact + " " + v.id + ": " + v.nodes.map((n) => n.html + " " + n.failureSummary).join("; ")))`)
			if err != nil {
				t.Fatal(err)
			}
			for _, barrier := range found {
				t.Errorf("%s, dark %v: %.500s", view, isDark, barrier)
			}
		}
	}
}

// With -screenshot, this test draws the picture of docs/web.md. Fonts differ between machines.
func TestScreenshot(t *testing.T) {
	if *screenshot == "" {
		t.Skip("pass -screenshot FILE")
	}
	b := open(t)
	b.do(chromedp.EmulateViewport(1200, 760), dark(false), chromedp.Navigate(serve(t, "--cache", caches+"/docs")+"ask?q=which+exit+status+means+out+of+date&budget=600"), chromedp.WaitVisible("article"))
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	var smaller bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err = encoder.Encode(&smaller, decoded)
	if err == nil {
		err = os.WriteFile(*screenshot, smaller.Bytes(), 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
}
