// Prints the command by which a host starts an unpacked bundle on this machine, a word
// a line, when its user has chosen a directory of caches. The commands for the other
// systems must name programs of the bundle.
//
//	node command.mjs BUNDLE CACHES
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getMcpConfigForManifest } from '@anthropic-ai/mcpb';

const [bundle, cacheRoot] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync(join(bundle, 'manifest.json'), 'utf8'));
const here = process.platform;

function configFor(platform, userConfig) {
	Object.defineProperty(process, 'platform', { value: platform });
	return getMcpConfigForManifest({ manifest, extensionPath: bundle, systemDirs: {}, userConfig, pathSeparator: '/' });
}

assert.equal(await configFor(here, {}), undefined, 'a host must ask for the caches first');
for (const platform of manifest.compatibility.platforms) {
	const { command } = await configFor(platform, { cache_root: cacheRoot });
	assert.ok(statSync(command).mode & 0o100, `${command} may not be run`);
}
const { command, args, env } = await configFor(here, { cache_root: cacheRoot });
console.log(['env', ...Object.entries(env).map((variable) => variable.join('=')), command, ...args].join('\n'));
