package describe

import "testing"

func TestProjectIsWhatItsManifestsSay(t *testing.T) {
	for _, test := range []struct {
		name  string
		bytes map[string]int64
		files []string
		want  ProjectProfile
	}{
		{"nothing", nil, nil, ProjectProfile{"", "", "Unknown", "", ""}},
		{"README", map[string]int64{".sh": 1}, []string{"README.md", "# Donations\n\nMends things.\n"}, ProjectProfile{"", "", "Shell", "", ""}},
		{
			"Go",
			map[string]int64{".go": 2, ".md": 9},
			[]string{"go.mod", "module example.com/mend/v2 // indirect\n\ngo 1.26\n\nrequire (\n\tgithub.com/go-chi/chi v4.1.0\n)\n"},
			ProjectProfile{"mend", "", "Go", "", "go modules"},
		},
		{
			"Go with a website",
			map[string]int64{".go": 2, ".ts": 1},
			[]string{"go.mod", "module mend\n", "package.json", `{"name": "web", "description": "Web of it", "dependencies": {"react": "1"}}`, "yarn.lock", ""},
			ProjectProfile{"mend", "", "Go", "", "go modules"},
		},
		{
			"Rust that Python packages",
			map[string]int64{".rs": 2, ".py": 1},
			[]string{"Cargo.toml", "[workspace]\n", "README.md", "# Check_Out\n", "pyproject.toml", "[project]\nname = \"check-out\"\ndescription = \"Mends things\"\n"},
			ProjectProfile{"check-out", "Mends things", "Rust", "", "cargo"},
		},
		{
			"a front end with Go",
			map[string]int64{".go": 2, ".ts": 1, ".tsx": 2},
			[]string{"go.mod", "module mend\n", "next.config.mjs", "", "package.json", `{"name": "web", "dependencies": {"react": "1", "next": "2"}}`, "yarn.lock", ""},
			ProjectProfile{"web", "", "TypeScript", "Next.js", "yarn"},
		},
		{"only a manifest", map[string]int64{".json": 1}, []string{"package.json", `{"name": "mend"}`}, ProjectProfile{"mend", "", "JSON", "", "npm"}},
		{"packageManager", map[string]int64{".js": 1}, []string{"package-lock.json", "", "package.json", `{"name": "@a/b", "packageManager": "pnpm@9.1.0"}`}, ProjectProfile{"@a/b", "", "JavaScript", "", "pnpm"}},
		{"packageManager that is none", map[string]int64{".js": 1}, []string{"bun.lock", "", "package.json", `{"packageManager": "rm -rf"}`}, ProjectProfile{"", "", "JavaScript", "", "bun"}},
		{"pnpm", nil, []string{"package.json", "{}", "pnpm-lock.yaml", ""}, ProjectProfile{"", "", "Unknown", "", "pnpm"}},
		{"one dependency of many", nil, []string{"package.json", `{"devDependencies": {"svelte": "1", "express": "1"}}`}, ProjectProfile{"", "", "Unknown", "", "npm"}},
		{"Rust", map[string]int64{".rs": 1}, []string{"Cargo.toml", "[package]\nname = \"mend\"\ndescription = \"Mends\\nthings\"\nversion.workspace = true\n[dependencies]\naxum = { version = \"1\" }\n"}, ProjectProfile{"mend", "Mends things", "Rust", "", "cargo"}},
		{"Rust, broken", map[string]int64{".rs": 1}, []string{"Cargo.toml", "[package]\nname = \"mend"}, ProjectProfile{"", "", "Rust", "", "cargo"}},
		{"Rust, nested", map[string]int64{".rs": 1}, []string{"Cargo.toml", "[package]\nname = \"mend\"\na = " + nested(1001)}, ProjectProfile{"", "", "Rust", "", "cargo"}},
		{"poetry", map[string]int64{".py": 1}, []string{"manage.py", "", "pyproject.toml", "[tool.poetry]\nname = \"mend\"\ndescription = \"Mends things\"\n[tool.poetry.dependencies]\nDjango = \"^5\"\n"}, ProjectProfile{"mend", "Mends things", "Python", "Django", "poetry"}},
		{"uv", map[string]int64{".py": 1}, []string{"pyproject.toml", "[project]\nname = \"mend\"\ndependencies = [\"FastAPI[all]>=1\", 3]\n", "uv.lock", ""}, ProjectProfile{"mend", "", "Python", "", "uv"}},
		{"tool.uv", map[string]int64{".py": 1}, []string{"pyproject.toml", "[project]\nname = \"mend\"\n[tool.uv]\n"}, ProjectProfile{"mend", "", "Python", "", "uv"}},
		{"pip", map[string]int64{".py": 1}, []string{"setup.py", "setup(\n    name='mend',\n    description=\"Mends things\",\n)\n"}, ProjectProfile{"mend", "Mends things", "Python", "", "pip"}},
		{"setup.py with a constant", map[string]int64{".py": 1}, []string{"setup.py", "NAME = 'celery'\n\nsetup(\n    name=NAME,\n    description=meta['doc'],\n)\n"}, ProjectProfile{"celery", "", "Python", "", "pip"}},
		{"setup.cfg", map[string]int64{".py": 1}, []string{"setup.cfg", "[metadata]\nname = mend\ndescription = Mends things\n[options]\ninstall_requires =\n    aiohttp>=1\n    six\n"}, ProjectProfile{"mend", "Mends things", "Python", "", "pip"}},
		{"pipenv", map[string]int64{".py": 1}, []string{"Pipfile", "[packages]\ntornado = \"*\"\n"}, ProjectProfile{"", "", "Python", "", "pipenv"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			fsys, names := tree(test.files...)
			if got, err := ProjectOf(fsys, names, test.bytes); got != test.want || err != nil {
				t.Errorf("got %+v, %v, want %+v", got, err, test.want)
			}
		})
	}
}

// nested is an array in arrays.
func nested(depth int) string {
	text := make([]byte, 2*depth)
	for i := range depth {
		text[i], text[depth+i] = '[', ']'
	}
	return string(text) + "\n"
}

func TestLanguageHasTheMostBytes(t *testing.T) {
	for _, test := range []struct {
		bytes map[string]int64
		want  string
	}{
		{map[string]int64{}, "Unknown"},
		{map[string]int64{".unknown": 9, "": 9, ".png": 9, ".go": 0}, "Unknown"},
		{map[string]int64{".go": 3, ".py": 2, ".md": 99, ".json": 99}, "Go"},
		{map[string]int64{".ts": 2, ".tsx": 2, ".py": 3}, "TypeScript"},
		{map[string]int64{".md": 1, ".json": 99}, "Markdown"},
		{map[string]int64{".json": 1, ".yml": 1, ".yaml": 1}, "YAML"},
		{map[string]int64{".py": 5, ".go": 5}, "Go"},
		{map[string]int64{".h": 5, ".c": 2, ".cpp": 1}, "C"},
		{map[string]int64{".h": 5, ".c": 1, ".cpp": 2}, "C++"},
		{map[string]int64{".h": 5, ".m": 2}, "Objective-C"},
		{map[string]int64{".h": 5, ".md": 9}, "C"},
		{map[string]int64{".h": 5}, "C"},
	} {
		if got := mainLanguage(test.bytes).name; got != test.want {
			t.Errorf("%v: got %s, want %s", test.bytes, got, test.want)
		}
	}
}
