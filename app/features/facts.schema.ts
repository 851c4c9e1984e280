import type { Role } from "./members/roles.schema";

/** A permission. */
interface PermissionFacts {
  /** The least role that may. */
  least: Role;
  /** Label as a scope of an API token. */
  scope: string;
  /** Explains a missing permission where the sentence made from the role isn't enough. */
  refusal?: string;
}

/** A feature's facts, for the rest of the console: in `<feature>/feature.schema.ts`, listed in the index. */
export interface FeatureFacts {
  permissions?: Readonly<Record<string, PermissionFacts>>;
  /**
   * Sentence of each audit action. `{name}` stands for a detail that every entry has, `{name?}` for one that may be
   * missing, `{name?a document}` for one with a fallback, `{name|filename?}` for the first that is there.
   */
  audit?: Readonly<Record<string, string>>;
  /** Topics of the live stream, each with the permission that its events require. */
  topics?: Readonly<Record<string, string>>;
}

type DetailValue = string | number;

type Placeholder<P extends string> = P extends `${infer Names}?${string}`
  ? { readonly [N in Split<Names>]?: DetailValue | undefined }
  : { readonly [N in P]: DetailValue };
type Split<Names extends string> = Names extends `${infer First}|${infer Rest}` ? First | Split<Rest> : Names;

/** The details that a sentence names. */
export type DetailsNamedIn<Sentence extends string> = Sentence extends `${string}{${infer P}}${infer Rest}`
  ? Placeholder<P> & DetailsNamedIn<Rest>
  : unknown;

/** A sentence with an entry's details; undefined when one that it can't do without is missing. */
export function fillSentence(
  sentence: string,
  details: Readonly<Record<string, unknown>>,
): string | undefined {
  let complete = true;
  const filled = sentence.replace(/\{([\w|]+)(\?[^}]*)?\}/g, (_, names: string, otherwise?: string) => {
    const value = names
      .split("|")
      .map((name) => details[name])
      .find((one) => (typeof one === "string" && one !== "") || typeof one === "number");
    if (value === undefined && otherwise === undefined) complete = false;
    return String(value ?? otherwise?.slice(1) ?? "");
  });
  return complete ? filled.replace(/ {2,}/g, " ").trim() : undefined;
}
