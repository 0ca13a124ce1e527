package describe

import "testing"

func TestProjectIsWhatItsManifestsSay(t *testing.T) {
	for _, test := range []struct {
		name  string
		bytes map[string]int64
		files []string
		want  Project
	}{
		{"nothing", nil, nil, Project{Language: "Unknown"}},
		{"README", map[string]int64{".sh": 1}, []string{"README.md", "# Mend\n\nMends things.\n"}, Project{"Mend", "Mends things.", "Shell", "", ""}},
		{
			"Go",
			map[string]int64{".go": 2, ".md": 9},
			[]string{"README.md", "# The Title\n\nMends things.\n", "go.mod", "module example.com/mend/v2 // indirect\n\ngo 1.26\n\nrequire (\n\tgithub.com/labstack/echo/v4 v4.1.0\n\tgithub.com/gin-gonic/gin v1.0.0 // indirect\n)\n"},
			Project{"mend", "Mends things.", "Go", "Echo", "go modules"},
		},
		{
			"Go with a front end",
			map[string]int64{".go": 2, ".ts": 1},
			[]string{"go.mod", "module mend\n", "package.json", `{"name": "web", "description": "Web of it", "dependencies": {"react": "1"}}`, "yarn.lock", ""},
			Project{"mend", "Web of it", "Go", "React", "go modules"},
		},
		{
			"a front end with Go",
			map[string]int64{".go": 2, ".ts": 1, ".tsx": 2},
			[]string{"go.mod", "module mend\n", "package.json", `{"name": "web", "dependencies": {"react": "1", "next": "2"}}`, "yarn.lock", ""},
			Project{"web", "", "TypeScript", "Next.js", "yarn"},
		},
		{"packageManager", map[string]int64{".js": 1}, []string{"package-lock.json", "", "package.json", `{"name": "@a/b", "packageManager": "pnpm@9.1.0"}`}, Project{"@a/b", "", "JavaScript", "", "pnpm"}},
		{"packageManager that is none", map[string]int64{".js": 1}, []string{"bun.lock", "", "package.json", `{"packageManager": "rm -rf"}`}, Project{"", "", "JavaScript", "", "bun"}},
		{"pnpm", nil, []string{"package.json", "{}", "pnpm-lock.yaml", ""}, Project{"", "", "Unknown", "", "pnpm"}},
		{"npm", nil, []string{"package.json", `{"devDependencies": {"svelte": "1", "express": "1"}}`}, Project{"", "", "Unknown", "Svelte", "npm"}},
		{"Rust", map[string]int64{".rs": 1}, []string{"Cargo.toml", "[package]\nname = \"mend\"\ndescription = \"Mends\\nthings\"\nversion.workspace = true\n[dependencies]\naxum = { version = \"1\" }\n"}, Project{"mend", "Mends things", "Rust", "axum", "cargo"}},
		{"Rust, broken", map[string]int64{".rs": 1}, []string{"Cargo.toml", "[package]\nname = \"mend"}, Project{"", "", "Rust", "", "cargo"}},
		{"Rust, nested", map[string]int64{".rs": 1}, []string{"Cargo.toml", "[package]\nname = \"mend\"\na = " + nested(maxDepth+1)}, Project{"", "", "Rust", "", "cargo"}},
		{"poetry", map[string]int64{".py": 1}, []string{"pyproject.toml", "[tool.poetry]\nname = \"mend\"\ndescription = \"Mends things\"\n[tool.poetry.dependencies]\nDjango = \"^5\"\n"}, Project{"mend", "Mends things", "Python", "Django", "poetry"}},
		{"uv", map[string]int64{".py": 1}, []string{"pyproject.toml", "[project]\nname = \"mend\"\ndependencies = [\"FastAPI[all]>=1\", 3]\n", "uv.lock", ""}, Project{"mend", "", "Python", "FastAPI", "uv"}},
		{"tool.uv", map[string]int64{".py": 1}, []string{"pyproject.toml", "[project]\nname = \"mend\"\n[tool.uv]\n"}, Project{"mend", "", "Python", "", "uv"}},
		{"pip", map[string]int64{".py": 1}, []string{"requirements.txt", "# flask\n-r x\n  Flask==1 # django\n", "setup.py", "setup(\n    name='mend',\n    description=\"Mends things\",\n)\n"}, Project{"mend", "Mends things", "Python", "Flask", "pip"}},
		{"setup.cfg", map[string]int64{".py": 1}, []string{"setup.cfg", "[metadata]\nname = mend\ndescription = Mends things\n[options]\ninstall_requires =\n    aiohttp>=1\n    six\n"}, Project{"mend", "Mends things", "Python", "aiohttp", "pip"}},
		{"pipenv", map[string]int64{".py": 1}, []string{"Pipfile", "[packages]\ntornado = \"*\"\n"}, Project{"", "", "Python", "Tornado", "pipenv"}},
		{"Ruby", map[string]int64{".rb": 1}, []string{"Gemfile", "source 'x'\ngem 'rails', '~> 8'\n", "mend.gemspec", "Gem::Specification.new do |s|\n  s.name = 'mend'\n  s.summary = \"Mends things\"\nend\n"}, Project{"mend", "Mends things", "Ruby", "Rails", "bundler"}},
		{"PHP", map[string]int64{".php": 1}, []string{"composer.json", `{"name": "a/mend", "description": "Mends things", "require": {"laravel/framework": "1"}}`}, Project{"a/mend", "Mends things", "PHP", "Laravel", "composer"}},
		{"maven", map[string]int64{".java": 1}, []string{"pom.xml", `<?xml version="1.0" encoding="UTF-8"?><project xmlns="http://maven.apache.org/POM/4.0.0"><parent><artifactId>spring-boot-starter-parent</artifactId></parent><artifactId>mend</artifactId><name>${x}</name><description>Mends
 things</description></project>`}, Project{"mend", "Mends things", "Java", "Spring Boot", "maven"}},
		{"gradle", map[string]int64{".kt": 1}, []string{"build.gradle.kts", "plugins {\n  id(\"org.springframework.boot\") version \"3\"\n}\ndescription = \"Mends things\"\n", "settings.gradle.kts", "rootProject.name = \"mend\"\n"}, Project{"mend", "Mends things", "Kotlin", "Spring Boot", "gradle"}},
		{"Dart", map[string]int64{".dart": 1}, []string{"pubspec.yaml", "name: mend\ndescription: >-\n  Mends\n  things\n\ndependencies:\n  flutter:\n    sdk: flutter\n\nflutter:\n  x: y\n"}, Project{"mend", "Mends things", "Dart", "Flutter", "pub"}},
		{".NET", map[string]int64{".cs": 1}, []string{"Mend.csproj", ""}, Project{"", "", "C#", "", "nuget"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			fsys, names := tree(test.files...)
			if got := ProjectOf(fsys, names, test.bytes); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
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
		{map[string]int64{".h": 5}, "C"},
	} {
		if got := languageOf(test.bytes); got != test.want {
			t.Errorf("%v: got %s, want %s", test.bytes, got, test.want)
		}
	}
}
