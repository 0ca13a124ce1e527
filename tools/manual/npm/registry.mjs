// Serves packed packages as npm's registry does, on a free port of this machine, and
// prints its URL. Standard input is what `npm pack --json` printed in DIR.
//
//	node registry.mjs DIR
import { createReadStream, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';

const dir = process.argv[2];
const packages = new Map();
for (const { name, version, filename, integrity } of JSON.parse(readFileSync(0, 'utf8'))) {
	const folder = name.replace('@contextcompiler/', '');
	const manifest = JSON.parse(readFileSync(join(dir, folder, 'package.json'), 'utf8'));
	packages.set(name, { version, filename, integrity, manifest });
}

const server = createServer((request, response) => {
	const path = decodeURIComponent(request.url).slice(1);
	if (path.endsWith('.tgz')) return createReadStream(join(dir, path)).pipe(response);
	const found = packages.get(path);
	if (!found) return response.writeHead(404).end();
	const { version, filename, integrity, manifest } = found;
	const tarball = `http://127.0.0.1:${server.address().port}/${filename}`;
	response.end(JSON.stringify({
		name: path,
		'dist-tags': { latest: version },
		versions: { [version]: { ...manifest, dist: { tarball, integrity } } },
	}));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
