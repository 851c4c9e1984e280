import { z } from "zod";
import type { AnswerContent, AskedQuestion, QuestionField } from "~/ai/tools/question.schema";
import { checkAnswer } from "~/ai/tools/question.service.server";
import { MAX_FIELDS } from "~/ai/tools/question.shared";
import { AppError } from "~/core/errors";
import { visibleText } from "./visible-text";

/** Of a question. More is refused: nobody would fill it in during a chat. */
const MAX = {
  options: 100,
  name: 200,
  label: 100,
  hint: 500,
  message: 2000,
  url: 2000,
  text: 10_000,
  pattern: 500,
};

const name = z.string().max(MAX.name);
const options = z.array(z.unknown()).min(1).max(MAX.options);
const titled = z
  .array(z.object({ const: name, title: z.string() }))
  .min(1)
  .max(MAX.options);
const limit = z.number().optional();
const Base = z.object({
  title: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
});

/** The primitive schemas of 2025-06-18 to 2026-07-28. Other keywords say nothing that a form could show. */
const Property = z.union([
  Base.extend({ type: z.literal("string"), oneOf: titled }),
  Base.extend({
    type: z.literal("string"),
    enum: options.pipe(z.array(name)),
    enumNames: z.array(z.string()).optional(),
  }),
  Base.extend({
    type: z.literal("string"),
    enum: z.undefined().optional(),
    oneOf: z.undefined().optional(),
    format: z.string().optional(),
    pattern: z.string().max(MAX.pattern).optional(),
    minLength: limit,
    maxLength: limit,
  }),
  Base.extend({ type: z.enum(["number", "integer"]), minimum: limit, maximum: limit }),
  Base.extend({ type: z.literal("boolean") }),
  Base.extend({
    type: z.literal("array"),
    minItems: limit,
    maxItems: limit,
    items: z.union([
      z.object({ anyOf: titled }),
      z.object({ oneOf: titled }),
      z.object({ type: z.literal("string").optional(), enum: options.pipe(z.array(name)) }),
    ]),
  }),
]);
type Property = z.infer<typeof Property>;

const FormRequest = z.object({
  mode: z.literal("form").optional(),
  message: z.string(),
  requestedSchema: z.object({
    type: z.literal("object"),
    properties: z.record(name, z.unknown()),
    required: z.array(z.string()).optional(),
  }),
});

const UrlRequest = z.object({ mode: z.literal("url"), message: z.string(), url: z.string().max(MAX.url) });

type Option = { value: string; label: string };

const optionOf = (value: string, label: string): Option => ({
  value,
  label: visibleText(label, MAX.label) || visibleText(value, MAX.label),
});

function optionsOf(schema: object): Option[] {
  if ("anyOf" in schema) return optionsOf({ oneOf: schema.anyOf });
  const {
    oneOf,
    enum: values,
    enumNames,
  } = schema as {
    oneOf?: { const: string; title: string }[];
    enum?: string[];
    enumNames?: string[];
  };
  const all =
    oneOf?.map((one) => optionOf(one.const, one.title)) ??
    (values ?? []).map((value, at) => optionOf(value, enumNames?.[at] ?? value));
  // Blank stands for no choice; a form can't tell the two apart.
  return [...new Map(all.filter(({ value }) => value !== "").map((one) => [one.value, one])).values()];
}

const FORMATS: ReadonlySet<string> = new Set(["email", "uri", "date", "date-time"]);

type Drawn = Pick<QuestionField, "kind" | "format" | "pattern" | "min" | "max" | "options">;

const bounds = (min: number | undefined, max: number | undefined) => ({
  ...(min !== undefined && { min }),
  ...(max !== undefined && { max }),
});

/** How a property is drawn, and its bounds. */
function drawn(property: Property): Drawn {
  switch (property.type) {
    case "boolean":
      return { kind: "boolean" };
    case "number":
    case "integer":
      return { kind: property.type, ...bounds(property.minimum, property.maximum) };
    case "array":
      return {
        kind: "choices",
        options: optionsOf(property.items),
        ...bounds(property.minItems, property.maxItems),
      };
    default: {
      if (("oneOf" in property && property.oneOf) || ("enum" in property && property.enum))
        return { kind: "choice", options: optionsOf(property) };
      const {
        format = "",
        pattern,
        minLength,
        maxLength = MAX.text,
      } = property as Extract<Property, { format?: unknown }>;
      return {
        kind: "text",
        ...(FORMATS.has(format) && { format: format as NonNullable<QuestionField["format"]> }),
        ...(pattern !== undefined && { pattern }),
        ...bounds(minLength, Math.min(maxLength, MAX.text)),
      };
    }
  }
}

/** A default that the field itself wouldn't take is left out. */
async function withDefault(field: QuestionField, value: unknown): Promise<QuestionField> {
  const checked = await checkAnswer([{ ...field, required: true }], { [field.name]: value });
  const content = "content" in checked ? checked.content[field.name] : undefined;
  return content === undefined ? field : { ...field, default: content };
}

function toField(
  title: string,
  key: string,
  schema: unknown,
  isRequired: boolean,
): QuestionField | Promise<QuestionField> {
  const parsed = Property.safeParse(schema);
  const label = visibleText(parsed.data?.title ?? key, MAX.label) || visibleText(key, MAX.label) || "Value";
  if (!parsed.success) throw refusal(`${title} asked for "${label}" in a form that isn't supported.`);
  const { description = "" } = parsed.data;
  const hint = visibleText(description, MAX.hint);
  const field: QuestionField = {
    name: key,
    label,
    ...(hint && { hint }),
    required: isRequired,
    ...drawn(parsed.data),
  };
  if (field.options?.length === 0) throw refusal(`${title} asked for "${label}" without options to choose.`);
  const { default: given } = parsed.data;
  return given === undefined ? field : withDefault(field, given);
}

const refusal = (message: string) => new AppError("unprocessable", message);

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** A link is https, or of this machine, as its user name could pass for a host. */
function checkedLink(title: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && LOOPBACK.test(url.hostname));
  if (!url || !isSafe || url.username || url.password)
    throw refusal(`${title} asked to open a link that isn't https, or has a user name. It wasn't shown.`);
  return url.href;
}

/**
 * What a server asks, as its form is drawn: bounded, as text, without invisible characters.
 * @param params of `elicitation/create`, from outside
 * @throws AppError `unprocessable` for what can't be asked, with the reason
 */
export async function toQuestion(title: string, params: unknown): Promise<AskedQuestion> {
  const link = UrlRequest.safeParse(params);
  if (link.success) {
    const { message, url } = link.data;
    return { asker: title, message: visibleText(message, MAX.message), url: checkedLink(title, url) };
  }
  const form = FormRequest.safeParse(params);
  if (!form.success) throw refusal(`${title} asked a question that isn't valid.`);
  const { message, requestedSchema } = form.data;
  const entries = Object.entries(requestedSchema.properties);
  if (entries.length > MAX_FIELDS)
    throw refusal(`${title} asked for ${entries.length} values. At most ${MAX_FIELDS} can be asked for.`);
  const required = new Set(requestedSchema.required);
  const fields = await Promise.all(
    entries.map(([key, schema]) => toField(title, key, schema, required.has(key))),
  );
  return { asker: title, message: visibleText(message, MAX.message), fields };
}

/** The protocol's result of an answer. */
export interface ElicitResult {
  action: "accept" | "decline" | "cancel";
  content?: AnswerContent;
}
