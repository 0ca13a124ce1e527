package describe

// A managerFile tells by its name that a package manager is used.
type managerFile struct{ name, manager string }

// A framework is known by a dependency. The name of a dependency that ends with
// a slash or a hyphen stands for all that begin so.
type framework struct{ dependency, name string }

// Of the files and of the frameworks of an ecosystem the first that is met
// counts: lock files before manifests, what is built upon another before it.

var goEcosystem = ecosystem{
	languages: []string{"Go"},
	manifests: []manifestFile{{"go.mod", readGoMod}},
	managers:  []managerFile{{"go.mod", "go modules"}},
	frameworks: []framework{
		{"github.com/gin-gonic/gin", "Gin"},
		{"github.com/labstack/echo", "Echo"},
		{"github.com/labstack/echo/", "Echo"},
		{"github.com/gofiber/fiber", "Fiber"},
		{"github.com/gofiber/fiber/", "Fiber"},
		{"github.com/beego/beego/", "Beego"},
		{"github.com/gobuffalo/buffalo", "Buffalo"},
		{"github.com/go-kratos/kratos/", "Kratos"},
		{"github.com/zeromicro/go-zero", "go-zero"},
		{"github.com/go-chi/chi", "chi"},
		{"github.com/go-chi/chi/", "chi"},
		{"github.com/revel/revel", "Revel"},
		{"github.com/wailsapp/wails/", "Wails"},
	},
}

var rustEcosystem = ecosystem{
	languages: []string{"Rust"},
	manifests: []manifestFile{{"Cargo.toml", readCargo}},
	managers:  []managerFile{{"Cargo.lock", "cargo"}, {"Cargo.toml", "cargo"}},
	frameworks: []framework{
		{"tauri", "Tauri"},
		{"leptos", "Leptos"},
		{"dioxus", "Dioxus"},
		{"yew", "Yew"},
		{"bevy", "Bevy"},
		{"rocket", "Rocket"},
		{"actix-web", "Actix Web"},
		{"axum", "axum"},
		{"warp", "warp"},
	},
}

var scriptEcosystem = ecosystem{
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
	frameworks: []framework{
		{"next", "Next.js"},
		{"nuxt", "Nuxt"},
		{"@remix-run/", "Remix"},
		{"gatsby", "Gatsby"},
		{"astro", "Astro"},
		{"@sveltejs/kit", "SvelteKit"},
		{"@docusaurus/core", "Docusaurus"},
		{"vitepress", "VitePress"},
		{"@angular/core", "Angular"},
		{"@nestjs/core", "NestJS"},
		{"expo", "Expo"},
		{"react-native", "React Native"},
		{"electron", "Electron"},
		{"svelte", "Svelte"},
		{"vue", "Vue"},
		{"solid-js", "Solid"},
		{"preact", "Preact"},
		{"react", "React"},
		{"ember-source", "Ember"},
		{"lit", "Lit"},
		{"fastify", "Fastify"},
		{"hono", "Hono"},
		{"koa", "Koa"},
		{"@hapi/hapi", "hapi"},
		{"express", "Express"},
	},
}

var pythonEcosystem = ecosystem{
	languages: []string{"Python", "Cython", "Jupyter Notebook"},
	manifests: []manifestFile{
		{"pyproject.toml", readPyproject},
		{"setup.cfg", readSetupCfg},
		{"setup.py", readSetupPy},
		{"Pipfile", readPipfile},
		{"requirements.txt", readRequirements},
	},
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
	frameworks: []framework{
		{"django", "Django"},
		{"fastapi", "FastAPI"},
		{"flask", "Flask"},
		{"litestar", "Litestar"},
		{"sanic", "Sanic"},
		{"tornado", "Tornado"},
		{"pyramid", "Pyramid"},
		{"streamlit", "Streamlit"},
		{"starlette", "Starlette"},
		{"aiohttp", "aiohttp"},
		{"scrapy", "Scrapy"},
	},
}

var rubyEcosystem = ecosystem{
	languages: []string{"Ruby"},
	manifests: []manifestFile{{"*.gemspec", readGemspec}, {"Gemfile", readGemfile}},
	managers:  []managerFile{{"Gemfile.lock", "bundler"}, {"Gemfile", "bundler"}, {"*.gemspec", "bundler"}},
	frameworks: []framework{
		{"rails", "Rails"},
		{"hanami", "Hanami"},
		{"sinatra", "Sinatra"},
		{"jekyll", "Jekyll"},
	},
}

var phpEcosystem = ecosystem{
	languages: []string{"PHP"},
	manifests: []manifestFile{{"composer.json", readComposer}},
	managers:  []managerFile{{"composer.lock", "composer"}, {"composer.json", "composer"}},
	frameworks: []framework{
		{"laravel/framework", "Laravel"},
		{"laravel/lumen-framework", "Lumen"},
		{"symfony/framework-bundle", "Symfony"},
		{"slim/slim", "Slim"},
		{"cakephp/cakephp", "CakePHP"},
		{"codeigniter4/framework", "CodeIgniter"},
		{"yiisoft/yii2", "Yii"},
	},
}

var javaEcosystem = ecosystem{
	languages: []string{"Java", "Kotlin", "Groovy", "Scala", "Clojure"},
	manifests: []manifestFile{
		{"pom.xml", readPom},
		{"settings.gradle.kts", readGradle},
		{"settings.gradle", readGradle},
		{"build.gradle.kts", readGradle},
		{"build.gradle", readGradle},
	},
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
	frameworks: []framework{
		{"spring-boot-", "Spring Boot"},
		{"org.springframework.boot", "Spring Boot"},
		{"quarkus-", "Quarkus"},
		{"io.quarkus", "Quarkus"},
		{"micronaut-", "Micronaut"},
		{"io.micronaut.application", "Micronaut"},
		{"ktor-", "Ktor"},
		{"com.android.application", "Android"},
		{"dropwizard-", "Dropwizard"},
		{"spring-", "Spring"},
	},
}

var dartEcosystem = ecosystem{
	languages:  []string{"Dart"},
	manifests:  []manifestFile{{"pubspec.yaml", readPubspec}},
	managers:   []managerFile{{"pubspec.lock", "pub"}, {"pubspec.yaml", "pub"}},
	frameworks: []framework{{"flutter", "Flutter"}},
}

var swiftEcosystem = ecosystem{
	languages: []string{"Swift", "Objective-C"},
	managers:  []managerFile{{"Package.swift", "swift package manager"}, {"Podfile", "cocoapods"}},
}

var dotnetEcosystem = ecosystem{
	languages: []string{"C#", "F#", "Visual Basic"},
	managers:  []managerFile{{"packages.lock.json", "nuget"}, {"*.csproj", "nuget"}, {"*.fsproj", "nuget"}, {"*.sln", "nuget"}},
}

var elixirEcosystem = ecosystem{
	languages: []string{"Elixir", "Erlang"},
	managers:  []managerFile{{"mix.lock", "mix"}, {"mix.exs", "mix"}, {"rebar.config", "rebar3"}},
}

var haskellEcosystem = ecosystem{
	languages: []string{"Haskell"},
	managers:  []managerFile{{"stack.yaml", "stack"}, {"*.cabal", "cabal"}},
}
