import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const IMPORT = /import (?!type\b)\{([^}]*)\} from "lucide-react"/g;

/** `CircleAlert` -> `circle-alert`, `Trash2` -> `trash-2`: the icon's file in the package. */
const fileName = (icon) => icon.replace(/([a-z])([A-Z0-9])/g, "$1-$2").toLowerCase();

/**
 * Icons that a single module of the app imports, by their file names, with that module. `landing` is left out, since
 * it has no script.
 * @param {string} app the folder of the app
 * @returns {Map<string, string>}
 */
export function iconsOfOneModule(app) {
  const users = new Map();
  for (const file of readdirSync(app, { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(file) || /^features\/(?:landing|api-reference)\//.test(file)) continue;
    for (const [, names] of readFileSync(join(app, file), "utf8").matchAll(IMPORT)) {
      for (const name of names.split(",")) {
        const icon = fileName(name.trim().split(" as ")[0]);
        users.set(icon, [...(users.get(icon) ?? []), file]);
      }
    }
  }
  return new Map([...users].filter(([, files]) => files.length === 1).map(([icon, [file]]) => [icon, file]));
}
