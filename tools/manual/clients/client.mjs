// Asks a server for agents as the TypeScript SDK's client does: over standard input and
// output, or over HTTP.
//
//	node client.mjs stdio COMMAND ARGUMENT...
//	node client.mjs http URL [TOKEN]
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [kind, target, ...rest] = process.argv.slice(2);

function connectTo() {
	if (kind === 'stdio') return new StdioClientTransport({ command: target, args: rest });
	const headers = rest.length > 0 ? { Authorization: `Bearer ${rest[0]}` } : {};
	return new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers } });
}

const client = new Client({ name: 'clients', version: '1' });
await client.connect(connectTo());
assert.equal(client.getServerVersion().name, 'context');
const { tools } = await client.listTools();
console.log(`${kind}: ${tools.map((tool) => tool.name).join(' ')}`);
for (const tool of tools) assert.match(tool.name, /^[a-z_]+$/);

const caches = await client.callTool({ name: 'context_caches', arguments: {} });
assert.ok(!caches.isError);
assert.match(caches.content[0].text, /^- docs: \d+ pages/);
console.log(caches.content[0].text);

const found = await client.callTool({ name: 'context_search', arguments: { query: 'bearer token of a server over HTTP' } });
assert.ok(!found.isError);
assert.match(found.content[0].text, /agents\.md/);

// A wrong argument is a result that says what would be right.
const wrong = await client.callTool({ name: 'context_caches', arguments: { none: 1 } });
assert.ok(wrong.isError);
assert.match(wrong.content[0].text, /^error: unknown argument "none"/);

// Many at once, as agents ask.
await Promise.all(Array.from({ length: 50 }, () => client.callTool({ name: 'context_caches', arguments: {} })));
await client.close();
