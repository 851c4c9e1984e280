import { env } from "~/core/env.server";
import { WELL_KNOWN_KEYS } from "./keys.shared";

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** Prefixes of common services' keys, and patterns of random text. */
const RAW_KEY = [
  /^(sk|pk|rk)[-_]/i,
  /^(hf_|gsk_|ghp_|github_pat_|xai-|AIza|ya29\.|eyJ|Bearer\s)/,
  /^[a-z]+:\/\//i,
  /^[A-Fa-f0-9]{24,}$/,
  // Names rarely mix cases and digits in one long word.
  /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z0-9+/=_-]{20,}$/,
];

/** Why a text isn't a key's name; undefined if it is. Never repeats the text, which may be a pasted key. */
export function refuseKeyName(text: string): string | undefined {
  if (RAW_KEY.some((pattern) => pattern.test(text))) {
    return "This looks like the key itself. Enter the name of the environment variable that holds it, such as OPENAI_API_KEY.";
  }
  if (Object.hasOwn(WELL_KNOWN_KEYS, text)) return undefined;
  if (VARIABLE_NAME.test(text)) {
    if (/^QUARTERDECK_KEY_./.test(text)) return undefined;
    if (env().KEY_REFERENCES?.includes(text)) return undefined;
  }
  const allowedNames = Object.keys(WELL_KNOWN_KEYS).join(", ");
  return `This name isn't allowed. Use ${allowedNames}, a name that begins with QUARTERDECK_KEY_, or one listed in KEY_REFERENCES.`;
}

/** Other texts may be pasted keys. */
export function isKeyName(text: string): boolean {
  return refuseKeyName(text.trim()) === undefined;
}
