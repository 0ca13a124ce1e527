// Calls every tool of a server for agents with clients that other people wrote: once with
// good arguments and once with wrong ones, over standard input and output and over HTTP.
// Every client must get the same texts both ways.
//
//	node calls.mjs URL TOKEN COMMAND ARGUMENT...
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as OtherStdioTransport } from '@ai-sdk/mcp/mcp-stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [url, token, command, ...args] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${token}` };
const caches = ['small'];

// The calls, and what their answers must contain. The texts come from what tools/manual/clients/run
// writes and from docs/agents.md.
const calls = [
	{ tool: 'check_freshness', good: { scope: 'src' }, answer: /"state": "fresh"/, wrong: { scope: 'none' }, error: /"error": ".*none/ },
	{ tool: 'context_caches', good: {}, answer: /^- small: 2 pages/m, wrong: { none: 1 }, error: /^error: unknown argument "none"/ },
	{ tool: 'context_grep', good: { caches, pattern: 'HTTPS_PROXY', context: 1 }, answer: /waits 30 seconds/, wrong: { pattern: '(', regexp: true }, error: /^error: .*RE2/ },
	{ tool: 'context_outline', good: { caches, depth: 2 }, answer: /Proxies/, wrong: { caches: ['none'] }, error: /^error: .*"none".*small/ },
	{ tool: 'context_read', good: { ids: ['small:install.md#proxies', 'project:src'] }, answer: /waits 30 seconds[^]*Reads the configuration/, wrong: { ids: ['none.md'] }, error: /^error: .*none\.md/ },
	{ tool: 'context_resolve', good: { caches, query: 'How long does the installer wait?', budget: 500 }, answer: /waits 30 seconds/, wrong: { query: 'wait', budget: -1 }, error: /^error: .*"budget" is -1/ },
	{ tool: 'context_search', good: { caches, query: 'How long does the installer wait?', min_score: 0.25 }, answer: /install\.md/, wrong: {}, error: /^error: .*"query"/ },
	{ tool: 'list_contexts', good: {}, answer: /"root": /, wrong: { none: 1 }, error: /unknown argument .*none/ },
	{ tool: 'query_context', good: { scope: 'src', filter: ['summary'] }, answer: /Reads the configuration/, wrong: { scope: 'none' }, error: /"error": ".*none/ },
];

// A client connects to the server and returns the names of its tools, a function that calls
// one, and a function that ends the connection.
const clients = {
	'@modelcontextprotocol/sdk': async (kind) => {
		const client = new Client({ name: 'clients', version: '1' });
		await client.connect(kind === 'stdio'
			? new StdioClientTransport({ command, args, stderr: 'ignore' })
			: new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
		return {
			names: (await client.listTools()).tools.map((tool) => tool.name),
			call: (name, given) => client.callTool({ name, arguments: given }),
			close: () => client.close(),
		};
	},
	'@ai-sdk/mcp': async (kind) => {
		const client = await createMCPClient({
			transport: kind === 'stdio' ? new OtherStdioTransport({ command, args, stderr: 'ignore' }) : { type: 'http', url, headers },
		});
		const tools = await client.tools();
		return {
			names: Object.keys(tools),
			call: (name, given) => tools[name].execute(given, { toolCallId: name, messages: [] }),
			close: () => client.close(),
		};
	},
	'@modelcontextprotocol/inspector (legacy)': (kind) => inspector(kind, 'legacy'),
	'@modelcontextprotocol/inspector (modern)': (kind) => inspector(kind, 'modern'),
};

// inspector runs the inspector's command line for every request. Its modern protocol is the
// one without a handshake.
async function inspector(kind, era) {
	const target = kind === 'stdio' ? [command, ...args] : [url, '--transport', 'http', '--header', `Authorization: ${headers.Authorization}`];
	const ask = (...request) => new Promise((resolve, reject) => {
		const words = ['--cli', ...target, '--protocol-era', era, '--quiet', '--format', 'json', ...request];
		execFile('node_modules/.bin/mcp-inspector', words, (error, stdout, stderr) => {
			// Status 5 reports an answer with isError.
			if (error && error.code !== 5) return reject(new Error(`${words.join(' ')}: ${error.code}\n${stderr}`));
			const { result } = JSON.parse(stdout);
			if (request[1] === 'tools/call') assert.equal(error?.code === 5, result.isError ?? false);
			resolve(result);
		});
	});
	return {
		names: (await ask('--method', 'tools/list')).tools.map((tool) => tool.name),
		call: (name, given) => ask('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(given)),
		close: () => {},
	};
}

// answers makes all calls with a client and returns the texts.
async function answers(connect, kind) {
	const { names, call, close } = await connect(kind);
	assert.deepEqual(names.toSorted(), calls.map(({ tool }) => tool));
	const texts = {};
	for (const { tool, good, answer, wrong, error } of calls) {
		for (const [given, isError, want] of [[good, false, answer], [wrong, true, error]]) {
			const what = `${tool} ${JSON.stringify(given)}`;
			const result = await call(tool, given);
			assert.equal(result.isError ?? false, isError, what);
			assert.deepEqual(result.content.map(({ type }) => type), ['text'], what);
			assert.match(result.content[0].text, want, what);
			// A client over HTTP cannot name another project, so list_contexts takes no path then.
			texts[what] = result.content[0].text.replace('known are path', 'this tool takes none');
		}
	}
	await close();
	return texts;
}

let first;
for (const [name, connect] of Object.entries(clients)) {
	const [stdio, http] = await Promise.all(['stdio', 'http'].map((kind) => answers(connect, kind)));
	first ??= stdio;
	assert.deepEqual(stdio, first, name);
	assert.deepEqual(http, first, name);
	const { version } = JSON.parse(readFileSync(`node_modules/${name.split(' ')[0]}/package.json`));
	console.log(`${name} ${version}: ${2 * calls.length} calls of ${calls.length} tools, the same answers over stdio and HTTP`);
}
