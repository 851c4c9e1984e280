import { describe, expect, it } from "vitest";
import { cleanCss } from "./clean-css";

const problems = (source: string) => {
  const cleaned = cleanCss(source);
  return cleaned.kind === "refused" ? cleaned.problems : [];
};

describe("custom CSS", () => {
  it("is minified, or formatted with one declaration per line", () => {
    const source = `/* ours */ .a > b { color: #FF0000; padding: 1px 2px }\n@media (width > 40em) { .c::before { content: "a;{b}" } }`;
    expect(cleanCss(source)).toEqual({
      kind: "clean",
      minified: '.a>b{color:#FF0000;padding:1px 2px}@media (width>40em){.c::before{content:"a;{b}"}}',
      formatted:
        '.a>b {\n  color:#FF0000;\n  padding:1px 2px\n}\n@media (width>40em) {\n  .c::before {\n    content:"a;{b}"\n  }\n}\n',
    });
  });

  it.each([
    ":root { --brand: oklch(60% 0.2 250); --pad: calc(1rem + 2px) }",
    ".a { &:hover { color: red } & .b { color: blue } }",
    "@layer base { a { color: var(--x, red) !important } }",
    "@supports (display: grid) { .a { display: grid } }",
    "@container side (min-width: 30em) { .a { gap: 1em } }",
    "@keyframes turn { from { rotate: 0deg } to { rotate: 90deg } }",
    "@-webkit-keyframes turn { 0% { opacity: 0 } }",
    ".a { background: linear-gradient(90deg, red, rgb(0 0 0 / 50%)) }",
    "a[href^='https:']:not(.b, .c):has(> img) { color: red }",
    "",
  ])("accepts %s", (source) => {
    expect(cleanCss(source).kind).toBe("clean");
  });

  it.each([
    ['@import "https://evil.example/x.css";', "@import"],
    ["@\\69mport 'x.css';", "\\69mport"],
    ["@font-face { font-family: x; src: local(x) }", "@font-face"],
    ["@namespace x 'http://x';", "@namespace"],
    ["@property --x { syntax: '*'; inherits: false }", "@property"],
    ["a { background: url(https://evil.example/x.png) }", "url()"],
    ["a { background: URL('//evil.example') }", "url()"],
    ["a { background: \\75rl(https://evil.example) }", "isn't valid CSS"],
    ["a { --x: url(https://evil.example) }", "url()"],
    ["a { --x: { background: url(https://evil.example) } }", "Line 1"],
    ["a { background: image-set('x.png' 1x) }", "image-set()"],
    ["a { background: -webkit-image-set('x.png' 1x) }", "image-set()"],
    ["a { background: src('x.png') }", "src()"],
    ["a { background: cross-fade('x.png', 'y.png') }", "cross-fade()"],
    ["a { background: -moz-element(#x) }", "element()"],
    ["a::after { content: attr(data-x) }", "attr()"],
    ["a { width: expression(alert(1)) }", "expression()"],
    ["a { width: ex\\70ression(alert(1)) }", "not allowed"],
    ["a { behavior: x }", "behavior"],
    ["a { -moz-binding: x }", "-moz-binding"],
    ["<!-- a { color: red } -->", "HTML comments"],
    ['a::after { content: "</style><script>" }', '"</"'],
    ["a { color: red", ""],
    ["a { color: red; } } b { color: blue }", "isn't valid CSS"],
    ["{{{", "isn't valid CSS"],
  ])("rejects %s", (source, reason) => {
    const cleaned = cleanCss(source);
    if (reason === "") return expect(cleaned).toMatchObject({ kind: "clean", minified: "a{color:red}" });
    expect(problems(source).join(" ")).toContain(reason);
  });

  it.each([
    ["main,.a>b{color:red}", "main#,#.a>b{color:red}"],
    [":root{--x:1px}", "#:root{--x:1px}"],
    ["html[data-theme=dark] p{color:red}", "html#[data-theme=dark] p{color:red}"],
    ["*::before{color:red}", "*#::before{color:red}"],
    ["::selection{color:red}", "#::selection{color:red}"],
    [".a{&:hover{color:red}& .b{color:red}}", "#.a{&#:hover{color:red}&# .b{color:red}}"],
    ["@media print{a{color:red}}", "@media print{a#{color:red}}"],
    [
      "@keyframes turn{from{rotate:0deg}50%{rotate:9deg}}",
      "@keyframes turn{from{rotate:0deg}50%{rotate:9deg}}",
    ],
  ])("applies %s below its attribute only", (source, scoped) => {
    const condition = ":where([data-own],[data-own] *)";
    expect(cleanCss(source, { scope: "data-own" })).toMatchObject({
      minified: scoped.replaceAll("#", condition),
    });
  });

  it("reports the line of each rejected rule, in order", () => {
    expect(problems("a {\n  color: red;\n  background: url(x);\n}\n@import 'y';")).toEqual([
      "Line 3: url() is not allowed. Upload images as logo or favicon.",
      "Line 5: @import is not allowed.",
    ]);
  });

  it("reports the line of what would end a style sheet", () => {
    expect(problems("main {}\n\nh1 { content: 'a'; }\na { content: '</style>'; }")).toEqual([
      'Line 4: "</" is not allowed.',
    ]);
  });

  it("refuses unbounded nesting", () => {
    expect(problems(`a{width:${"calc(".repeat(9000)}`)).not.toEqual([]);
  });
});
