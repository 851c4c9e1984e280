import type { Role } from "./members/roles.schema";

interface PermissionFacts {
  /** Least role with the permission. */
  minRole: Role;
  /** Label as a scope of an API token. */
  scope: string;
  refusal?: string;
}

/** A feature's facts, for the rest of the console: in `<feature>/feature.schema.ts`, listed in the index. */
export interface FeatureFacts {
  permissions?: Readonly<Record<string, PermissionFacts>>;
  /**
   * Sentences by audit action: `{name}` is a required detail, `{name?}` an optional one, `{name?a document}` has a
   * fallback, `{name|filename?}` takes the first present.
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

/** Undefined if a required detail is missing. */
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
