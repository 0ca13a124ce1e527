package describe

// A managerFile tells by its name that a package manager is used. The first of an
// ecosystem counts: lock files stand before manifests.
type managerFile struct{ name, manager string }

// frameworks are known by a file in the root that a project has only if it is
// built on one. Its name may have any extension more.
var frameworks = []struct{ file, name string }{
	{"next.config", "Next.js"},
	{"nuxt.config", "Nuxt"},
	{"remix.config", "Remix"},
	{"gatsby-config", "Gatsby"},
	{"astro.config", "Astro"},
	{"svelte.config", "Svelte"},
	{"docusaurus.config", "Docusaurus"},
	{"angular.json", "Angular"},
	{"nest-cli.json", "NestJS"},
	{"manage.py", "Django"},
	{"artisan", "Laravel"},
	{"wails.json", "Wails"},
}

// ecosystems are all that are known. Where several are at home in a project,
// the one of its language comes first, then they come in this order.
var ecosystems = []ecosystem{
	{
		languages: []string{"Go"},
		manifests: []manifestFile{{"go.mod", readGoMod}},
		managers:  []managerFile{{"go.mod", "go modules"}},
	},
	{
		languages: []string{"Rust"},
		manifests: []manifestFile{{"Cargo.toml", readCargo}},
		managers:  []managerFile{{"Cargo.lock", "cargo"}, {"Cargo.toml", "cargo"}},
	},
	{
		languages: []string{"TypeScript", "JavaScript", "Vue", "Svelte", "Astro"},
		manifests: []manifestFile{{"package.json", readPackageJSON}},
		managers: []managerFile{
			{"pnpm-lock.yaml", "pnpm"},
			{"pnpm-workspace.yaml", "pnpm"},
			{"yarn.lock", "yarn"},
			{"bun.lock", "bun"},
			{"bun.lockb", "bun"},
			{"package-lock.json", "npm"},
			{"npm-shrinkwrap.json", "npm"},
			{"deno.lock", "deno"},
			{"deno.json", "deno"},
			{"package.json", "npm"},
		},
	},
	{
		languages: []string{"Python", "Cython", "Jupyter Notebook"},
		manifests: []manifestFile{{"pyproject.toml", readPyproject}, {"setup.cfg", readSetupCfg}, {"setup.py", readSetupPy}},
		managers: []managerFile{
			{"poetry.lock", "poetry"},
			{"uv.lock", "uv"},
			{"pdm.lock", "pdm"},
			{"pixi.lock", "pixi"},
			{"Pipfile.lock", "pipenv"},
			{"Pipfile", "pipenv"},
			{"environment.yml", "conda"},
			{"requirements.txt", "pip"},
			{"pyproject.toml", "pip"},
			{"setup.py", "pip"},
			{"setup.cfg", "pip"},
		},
	},
	{
		languages: []string{"Ruby"},
		managers:  []managerFile{{"Gemfile.lock", "bundler"}, {"Gemfile", "bundler"}, {"*.gemspec", "bundler"}},
	},
	{
		languages: []string{"PHP"},
		manifests: []manifestFile{{"composer.json", readPackageJSON}},
		managers:  []managerFile{{"composer.lock", "composer"}, {"composer.json", "composer"}},
	},
	{
		languages: []string{"Java", "Kotlin", "Groovy", "Scala", "Clojure"},
		manifests: []manifestFile{{"pom.xml", readPom}},
		managers: []managerFile{
			{"pom.xml", "maven"},
			{"build.gradle.kts", "gradle"},
			{"build.gradle", "gradle"},
			{"settings.gradle.kts", "gradle"},
			{"settings.gradle", "gradle"},
			{"build.sbt", "sbt"},
			{"project.clj", "leiningen"},
			{"deps.edn", "clojure"},
		},
	},
	{
		languages: []string{"Dart"},
		managers:  []managerFile{{"pubspec.lock", "pub"}, {"pubspec.yaml", "pub"}},
	},
	{
		languages: []string{"Swift", "Objective-C"},
		managers:  []managerFile{{"Package.swift", "swift package manager"}, {"Podfile", "cocoapods"}},
	},
	{
		languages: []string{"C#", "F#", "Visual Basic"},
		managers:  []managerFile{{"packages.lock.json", "nuget"}, {"*.csproj", "nuget"}, {"*.fsproj", "nuget"}, {"*.sln", "nuget"}},
	},
	{
		languages: []string{"Elixir", "Erlang"},
		managers:  []managerFile{{"mix.lock", "mix"}, {"mix.exs", "mix"}, {"rebar.config", "rebar3"}},
	},
	{
		languages: []string{"Haskell"},
		managers:  []managerFile{{"stack.yaml", "stack"}, {"*.cabal", "cabal"}},
	},
}
