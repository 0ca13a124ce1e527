'use strict';
// Starts a program of the package for this platform, and ends as it ends. npm has
// installed that package beside this one, unless it was told to leave it out.

const { spawn } = require('node:child_process');
const { optionalDependencies, homepage } = require('./package.json');

function fail(message) {
	console.error(`error: ${message}`);
	process.exit(1);
}

// find returns the path of a program.
function find(name) {
	const platform = `${process.platform}-${process.arch}`;
	const wanted = `@contextcompiler/context-${platform}`;
	if (!(wanted in optionalDependencies)) {
		fail(`there is no program for ${platform}: ${homepage} says how to compile it`);
	}
	const suffix = process.platform === 'win32' ? '.exe' : '';
	try {
		return require.resolve(`${wanted}/bin/${name}${suffix}`);
	} catch {
		return fail(`the package ${wanted} is missing: install @contextcompiler/context again, without --omit=optional`);
	}
}

module.exports = function launch(name) {
	const program = spawn(find(name), process.argv.slice(2), { stdio: 'inherit' });
	program.on('error', (error) => fail(error.message));
	const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
	for (const signal of signals) process.on(signal, () => program.kill(signal));
	program.on('exit', (status, signal) => {
		if (signal === null) process.exit(status);
		process.removeAllListeners(signal);
		process.kill(process.pid, signal);
	});
};
