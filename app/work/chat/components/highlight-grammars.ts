import type { LanguageFn } from "lowlight";

type Load = () => Promise<{ default: LanguageFn }>;

/** Each is a file of its own, loaded on demand. */
const GRAMMARS: Readonly<Record<string, Load>> = {
  bash: () => import("highlight.js/lib/languages/bash"),
  c: () => import("highlight.js/lib/languages/c"),
  cpp: () => import("highlight.js/lib/languages/cpp"),
  csharp: () => import("highlight.js/lib/languages/csharp"),
  css: () => import("highlight.js/lib/languages/css"),
  diff: () => import("highlight.js/lib/languages/diff"),
  dockerfile: () => import("highlight.js/lib/languages/dockerfile"),
  go: () => import("highlight.js/lib/languages/go"),
  graphql: () => import("highlight.js/lib/languages/graphql"),
  ini: () => import("highlight.js/lib/languages/ini"),
  java: () => import("highlight.js/lib/languages/java"),
  javascript: () => import("highlight.js/lib/languages/javascript"),
  json: () => import("highlight.js/lib/languages/json"),
  kotlin: () => import("highlight.js/lib/languages/kotlin"),
  less: () => import("highlight.js/lib/languages/less"),
  lua: () => import("highlight.js/lib/languages/lua"),
  makefile: () => import("highlight.js/lib/languages/makefile"),
  markdown: () => import("highlight.js/lib/languages/markdown"),
  nginx: () => import("highlight.js/lib/languages/nginx"),
  objectivec: () => import("highlight.js/lib/languages/objectivec"),
  perl: () => import("highlight.js/lib/languages/perl"),
  php: () => import("highlight.js/lib/languages/php"),
  powershell: () => import("highlight.js/lib/languages/powershell"),
  python: () => import("highlight.js/lib/languages/python"),
  r: () => import("highlight.js/lib/languages/r"),
  ruby: () => import("highlight.js/lib/languages/ruby"),
  rust: () => import("highlight.js/lib/languages/rust"),
  scss: () => import("highlight.js/lib/languages/scss"),
  shell: () => import("highlight.js/lib/languages/shell"),
  sql: () => import("highlight.js/lib/languages/sql"),
  swift: () => import("highlight.js/lib/languages/swift"),
  typescript: () => import("highlight.js/lib/languages/typescript"),
  vbnet: () => import("highlight.js/lib/languages/vbnet"),
  wasm: () => import("highlight.js/lib/languages/wasm"),
  xml: () => import("highlight.js/lib/languages/xml"),
  yaml: () => import("highlight.js/lib/languages/yaml"),
};

const ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    bash: "sh zsh",
    c: "h",
    cpp: "cc c++ cxx hh hpp hxx",
    csharp: "cs c#",
    diff: "patch",
    dockerfile: "docker",
    go: "golang",
    graphql: "gql",
    ini: "toml",
    javascript: "js jsx mjs cjs",
    json: "jsonc json5",
    kotlin: "kt kts",
    makefile: "mk make",
    markdown: "md",
    objectivec: "objc obj-c mm",
    perl: "pl pm",
    powershell: "ps1 pwsh",
    python: "py ipython",
    ruby: "rb",
    rust: "rs",
    shell: "console shellsession",
    typescript: "ts tsx mts cts",
    vbnet: "vb",
    xml: "html xhtml svg xsd xsl rss plist",
    yaml: "yml",
  }).flatMap(([name, others]) => others.split(" ").map((other) => [other, name])),
);

const EMBEDDED: Readonly<Record<string, readonly string[]>> = {
  javascript: ["xml"],
  typescript: ["xml"],
  php: ["xml"],
  shell: ["bash"],
  xml: ["css", "javascript"],
};

/** @returns a fence's grammar and its dependencies; undefined for an unknown language */
export function grammarsFor(language: string): { name: string; load: Record<string, Load> } | undefined {
  const lowerCase = language.toLowerCase();
  const name = ALIASES[lowerCase] ?? lowerCase;
  if (!Object.hasOwn(GRAMMARS, name)) return undefined;
  const load: Record<string, Load> = {};
  for (const needed of [name, ...(EMBEDDED[name] ?? [])]) {
    const grammar = GRAMMARS[needed];
    if (grammar) load[needed] = grammar;
  }
  return { name, load };
}
