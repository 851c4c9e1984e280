import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";

const lucide = createRequire(import.meta.url)("lucide-react");
const PACKAGE = "lucide-react";
const MODULE = "\0icons";
const IMPORT = /import (?!type\b)\{([^}]*)\} from "lucide-react"/g;

/** `CircleAlert` -> `circle-alert` */
const idOf = (name) => name.replace(/([a-z])([A-Z0-9])/g, "$1-$2").toLowerCase();

/**
 * Names of all icons that files of the app import, sorted.
 * @param {string} app the folder of the app
 * @returns {string[]}
 */
function listIcons(app) {
  const names = new Set();
  for (const file of readdirSync(app, { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(file)) continue;
    for (const [, imported] of readFileSync(join(app, file), "utf8").matchAll(IMPORT))
      for (const name of imported.split(",").map((one) => one.trim()))
        if (!name.startsWith("type ")) names.add(name.split(" as ")[0]);
  }
  names.delete("");
  return [...names].sort();
}

function drawSymbol(name) {
  const svg = renderToStaticMarkup(createElement(lucide[name]));
  return `<symbol id="${idOf(name)}" viewBox="0 0 24 24">${svg.replace(/^<svg[^>]*>|<\/svg>$/g, "")}</symbol>`;
}

/**
 * Replaces the package's icons by references into one SVG file: scripts then carry the names alone.
 * @param {string} app the folder of the app
 * @returns {import("vite").Plugin}
 */
export function iconSprite(app) {
  const names = listIcons(app);
  const sprite = `<svg xmlns="http://www.w3.org/2000/svg">${names.map(drawSymbol).join("")}</svg>`;
  const fileName = `assets/icons-${createHash("sha256").update(sprite).digest("base64url").slice(0, 8)}.svg`;
  return {
    name: "icon-sprite",
    // In development the server imports packages as they are: its HTML would have other icons than the browser's.
    apply: "build",
    enforce: "pre",
    resolveId: (id) => (id === MODULE || id === PACKAGE ? MODULE : undefined),
    load(id) {
      if (id !== MODULE) return undefined;
      return [
        'import { spriteIcon } from "~/ui/sprite-icon";',
        `const FILE = "/${fileName}";`,
        ...names.map((name) => `export const ${name} = /*#__PURE__*/ spriteIcon(FILE, "${idOf(name)}");`),
      ].join("\n");
    },
    generateBundle() {
      if (this.environment?.name !== "ssr") this.emitFile({ type: "asset", fileName, source: sprite });
    },
  };
}
