'use strict';
// Starts a program of the package for this platform, and ends as it ends. npm has
// installed that package beside this one, unless it was told to leave it out.

const { spawn } = require('node:child_process');
const { closeSync, openSync } = require('node:fs');
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

// hasTerminal tells whether there is a terminal that sends its signals to the program, too.
function hasTerminal() {
	if (process.platform === 'win32') return true; // a console does
	try {
		closeSync(openSync('/dev/tty'));
		return true;
	} catch {
		return false;
	}
}

module.exports = function launch(name) {
	const program = spawn(find(name), process.argv.slice(2), { stdio: 'inherit' });
	program.on('error', (error) => fail(error.message));
	const pass = (signal) => process.on(signal, () => program.kill(signal));
	const leave = (signal) => process.on(signal, () => {}); // a second one would end the program at once
	['SIGINT', 'SIGHUP', 'SIGQUIT'].forEach(hasTerminal() ? leave : pass);
	pass('SIGTERM');
	program.on('exit', (status, signal) => {
		if (signal === null) process.exit(status);
		process.removeAllListeners(signal);
		process.kill(process.pid, signal);
	});
};
