// Package contexts contains directory contexts: .context.yaml files, which describe a directory of
// a code repository. Its packages may import base, and describe also reads Markdown with pages.
// Start with dotcontext.Project.
package contexts
