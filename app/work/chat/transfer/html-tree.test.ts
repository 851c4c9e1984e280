import { expect, it } from "vitest";
import { parseMarkdown } from "../markdown/parse.shared";
import { typesetFormulas } from "../markdown/typeset";
import { writeTree } from "./html-tree";

const write = (text: string) => writeTree(typesetFormulas(parseMarkdown(text)), text);

it.each([
  ["a heading below the message's", "# Wind", '<h3 dir="auto">Wind</h3>'],
  [
    "marks",
    "**a** *b* ~~c~~ `<d>`",
    '<strong>a</strong> <em>b</em> <del>c</del> <code dir="ltr">&lt;d&gt;</code>',
  ],
  ["code", "```js\n1 < 2\n```", '<pre dir="ltr"><code>1 &lt; 2</code></pre>'],
  ["a numbered list", "3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
  ["a table", "|a|b|\n|---|---:|\n|1|<b>|", '<td dir="auto" style="text-align:right">&lt;b&gt;</td>'],
  ["a formula", "$x^2$", "<math><mrow><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow></mrow></math>"],
  ["a link to another site", "[a](https://example.org/?a=1&b)", '<a href="https://example.org/?a=1&amp;b"'],
  ["a picture as a link", "![b](https://example.org/b.png)", ">Image: b</a>"],
  [
    "a linked picture as its label",
    "[![b](https://example.org/b.png)](https://example.org)",
    '<a href="https://example.org/" rel="noopener noreferrer nofollow">Image: b</a>',
  ],
  ["an Arabic list", "1. 7 **كلب**\n\n2. dog", '<ol dir="rtl" start="1"><li><p dir="auto">7 <strong>كلب'],
  ["a path of the console as text", "[3](/rag/doc_1?passage=1)", '<p dir="auto">3</p>'],
  ["an unsafe link as text", "[a](javascript:alert(1))", '<p dir="auto">a</p>'],
  ["markup as text", '<img src=x onerror="alert(1)">', "&lt;img src=x onerror=&quot;alert(1)&quot;&gt;"],
])("writes %s", (_, markdown, html) => expect(write(markdown)).toContain(html));
