// Reads a JSON array of pages and writes one of what remark-mdx finds in them: null for a
// page that is not MDX, else the headings that begin sections, and the texts.
import { text } from 'node:stream/consumers'
import { toString } from 'mdast-util-to-string'
import remarkMdx from 'remark-mdx'
import remarkParse from 'remark-parse'
import { unified } from 'unified'

const parser = unified().use(remarkParse).use(remarkMdx)
const code = ['mdxTextExpression', 'mdxFlowExpression', 'mdxjsEsm']

function find(page) {
  let tree
  try {
    tree = parser.parse(page)
  } catch {
    return null
  }
  const headings = []
  const texts = []
  const walk = (node, isNested) => {
    if (node.type === 'heading' && !isNested) headings.push(`${node.depth} ${toString(node)}`)
    if (node.type === 'definition' || node.referenceType === 'full') texts.push(node.label)
    if (!node.type.startsWith('mdxJsx')) {
      for (const key of ['value', 'url', 'title', 'alt', 'lang', 'meta']) if (node[key]) texts.push(node[key])
    }
    for (const child of node.children ?? []) walk(child, isNested || ['list', 'blockquote'].includes(node.type))
  }
  dropCode(tree)
  walk(tree, false)
  return { headings, texts }
}

function dropCode(node) {
  node.children = node.children?.filter((child) => !code.includes(child.type))
  node.children?.forEach(dropCode)
}

const pages = JSON.parse(await text(process.stdin))
process.stdout.write(JSON.stringify(pages.map(find)))
