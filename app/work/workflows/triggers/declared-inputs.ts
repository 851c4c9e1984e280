import { z } from "zod";
import { clip, linesOf } from "~/core/well-formed";
import { requiredText } from "../steps/step-config";

const INPUT_KINDS = ["text", "long", "number", "email", "date", "yesno"] as const;

/** A value that a form or a tool asks for. */
export interface DeclaredInput {
  name: string;
  kind: (typeof INPUT_KINDS)[number];
  required: boolean;
  /** Label of a form's field, and what a model is told. */
  label: string;
}

const MAX_INPUTS = 30;
const EXAMPLE = "Write one per line, such as: email* (email): Your email address";
const MAX_LABEL = 200;
const NAME = /^[a-z][A-Za-z0-9_]{0,39}$/;
/** What stands before the colon. */
const HEAD = /^([^(*]*)(\*)?\s*(?:\(([^)]*)\))?$/;
/** Longest texts, in characters. */
const MAX_TEXT = 500;
const MAX_LONG = 10_000;

/** @returns why it can't be read, if it can't */
function readLine(line: string): DeclaredInput | string {
  const colon = line.indexOf(":");
  if (colon === -1) return `It has no colon. ${EXAMPLE}`;
  const [, name = "", star, kind = "text"] = HEAD.exec(line.slice(0, Math.min(colon, 200)).trim()) ?? [];
  const label = line.slice(colon + 1).trim();
  if (!NAME.test(name.trim()))
    return "Its name must begin with a small letter and have at most 40 letters, digits and underscores.";
  if (!INPUT_KINDS.some((one) => one === kind))
    return `There is no kind "${kind.slice(0, 40)}": use ${INPUT_KINDS.join(", ")}.`;
  if (label === "") return "It has no label after the colon.";
  if (label.length > MAX_LABEL) return `Its label is too long: use at most ${MAX_LABEL} characters.`;
  return { name: name.trim(), kind: kind as DeclaredInput["kind"], required: star === "*", label };
}

/** Without lines that can't be read: `InputLines` refuses them. */
export const declaredInputs = (text: string): DeclaredInput[] =>
  linesOf(text).flatMap((line) => {
    const input = readLine(line);
    return typeof input === "string" ? [] : [input];
  });

/** Lines such as `email* (email): Your email address`; the star makes it required. */
export const InputLines = (message: string) =>
  requiredText(message, 10_000).superRefine((text, context) => {
    const lines = linesOf(text);
    const refuse = (message: string) => context.addIssue({ code: "custom", message });
    for (const line of lines) {
      const reason = readLine(line);
      if (typeof reason !== "string") continue;
      refuse(`This line can't be read: "${clip(line, 60)}". ${reason}`);
      break;
    }
    if (lines.length > MAX_INPUTS) refuse(`Use at most ${MAX_INPUTS} lines`);
    const names = declaredInputs(text).map(({ name }) => name);
    const twice = names.find((name, index) => names.indexOf(name) !== index);
    if (twice) refuse(`The name "${twice}" is used twice`);
  });

export const INPUTS_HINT = `${EXAMPLE}. The star makes it required; in brackets is its kind: ${INPUT_KINDS.join(", ")}.`;

function schemaOf({ kind, required, label }: DeclaredInput): z.ZodType {
  const text = (max: number) =>
    z
      .string()
      .trim()
      .max(max)
      .refine((value) => !required || value !== "", "Fill this in");
  const schemas = {
    text: () => text(MAX_TEXT),
    long: () => text(MAX_LONG),
    number: () => z.number().min(-1e15).max(1e15),
    email: () => z.email("Enter an email address").max(320),
    date: () => z.iso.date("Enter a date, such as 2026-01-31"),
    yesno: () => z.boolean(),
  };
  const schema = schemas[kind]().describe(label);
  return required ? schema : schema.optional();
}

/** What a call or a form must give. */
export const valuesSchema = (inputs: readonly DeclaredInput[]) =>
  z.strictObject(Object.fromEntries(inputs.map((input) => [input.name, schemaOf(input)])));
