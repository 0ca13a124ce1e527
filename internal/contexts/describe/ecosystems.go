package describe

// An ecosystem is a family of languages with the files of its manifests and package managers.
type ecosystem struct {
	languages []string
	files     []projectFile // lock files first, because the first file decides on the manager
}

// A projectFile shows by its name that a project uses a package manager.
type projectFile struct {
	name, manager string
	read          func(content string) projectManifest // nil unless it is a manifest
}

var ecosystems = []ecosystem{
	{[]string{"Go"}, []projectFile{{"go.mod", "go modules", readGoMod}}},
	{[]string{"Rust"}, []projectFile{{"Cargo.toml", "cargo", readCargo}}},
	{[]string{"TypeScript", "JavaScript", "Vue", "Svelte", "Astro"}, []projectFile{
		{"pnpm-lock.yaml", "pnpm", nil}, {"yarn.lock", "yarn", nil}, {"bun.lock", "bun", nil}, {"package.json", "npm", readPackageJSON},
	}},
	{[]string{"Python", "Jupyter Notebook"}, []projectFile{
		{"poetry.lock", "poetry", nil},
		{"uv.lock", "uv", nil},
		{"Pipfile", "pipenv", nil},
		{"requirements.txt", "pip", nil},
		{"pyproject.toml", "pip", readPyproject},
		{"setup.cfg", "pip", readPatterns(setupName, setupDescription)},
		{"setup.py", "pip", readPatterns(setupCallName, setupCallDescription)},
	}},
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
