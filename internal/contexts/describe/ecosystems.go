package describe

// An ecosystem is a family of languages with its manifests and package managers.
type ecosystem struct {
	languages []string
	manifests []manifestFormat
	managers  []managerFile // lock files first, because the first file decides
}

type manifestFormat struct {
	name string
	read func(content string) projectManifest
}

// A managerFile shows by its name that a project uses a package manager.
type managerFile struct{ name, manager string }

var ecosystems = []ecosystem{
	{
		languages: []string{"Go"},
		manifests: []manifestFormat{{"go.mod", readGoMod}},
		managers:  []managerFile{{"go.mod", "go modules"}},
	},
	{
		languages: []string{"Rust"},
		manifests: []manifestFormat{{"Cargo.toml", readCargo}},
		managers:  []managerFile{{"Cargo.toml", "cargo"}},
	},
	{
		languages: []string{"TypeScript", "JavaScript", "Vue", "Svelte", "Astro"},
		manifests: []manifestFormat{{"package.json", readPackageJSON}},
		managers: []managerFile{
			{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"package.json", "npm"},
		},
	},
	{
		languages: []string{"Python", "Jupyter Notebook"},
		manifests: []manifestFormat{{"pyproject.toml", readPyproject}, {"setup.cfg", readSetupCfg}, {"setup.py", readSetupPy}},
		managers: []managerFile{
			{"poetry.lock", "poetry"},
			{"uv.lock", "uv"},
			{"Pipfile", "pipenv"},
			{"requirements.txt", "pip"},
			{"pyproject.toml", "pip"},
			{"setup.cfg", "pip"},
			{"setup.py", "pip"},
		},
	},
}

// frameworks can be recognized by a file in the root of a project. Its name may be
// followed by an extension.
var frameworks = []struct{ file, name string }{
	{"next.config", "Next.js"},
	{"nuxt.config", "Nuxt"},
	{"astro.config", "Astro"},
	{"svelte.config", "Svelte"},
	{"docusaurus.config", "Docusaurus"},
	{"angular.json", "Angular"},
	{"manage.py", "Django"},
}
