import { parseHTML } from "linkedom";
import type { TestServer } from "./server";

/** Several values of one name are a list. */
type Fields = Record<string, string | string[]>;

/** A submission without JavaScript. */
export interface FormSubmission {
  action: string;
  fields: Fields;
}

function formOf(document: Document, intent: string): Element {
  const form = document.querySelector(`button[name="intent"][value="${intent}"]`)?.closest("form");
  if (!form) throw new Error(`There is no form for ${intent}.`);
  return form;
}

/** Successful fields for a button. */
export function submissionOf(document: Document, intent: string): FormSubmission {
  const form = formOf(document, intent);
  const fields: Fields = { intent };
  for (const control of form.querySelectorAll("input[name], select[name], textarea[name]")) {
    const name = control.getAttribute("name") ?? "";
    if (/checkbox|radio/.test(control.getAttribute("type") ?? "") && !control.hasAttribute("checked"))
      continue;
    const selected = control.querySelector("option[selected]") ?? control.querySelector("option");
    const value =
      (control.tagName === "SELECT" ? selected?.getAttribute("value") : control.getAttribute("value")) ??
      (control.tagName === "TEXTAREA" ? (control.textContent ?? "") : "on");
    const before = control.getAttribute("type") === "checkbox" ? fields[name] : undefined;
    fields[name] = before === undefined ? value : [before, value].flat();
  }
  return { action: form.getAttribute("action") ?? "", fields };
}

/** Changes one field as the owner; null unchecks. @returns the response and the old value */
export async function changeField(
  server: TestServer,
  { path, intent, field }: { path: string; intent: string; field: string },
  value: string | string[] | null,
  /** Whether a proxy speaks HTTPS. */
  secure = false,
): Promise<{ response: Response; before: string | string[] | null }> {
  const cookie = server.cookieOf("owner");
  const headers: Record<string, string> = secure
    ? {
        cookie: `__Host-${cookie}`,
        origin: server.baseUrl.replace("http:", "https:"),
        "x-forwarded-proto": "https",
      }
    : { cookie, origin: server.baseUrl };
  const ask = { headers: { accept: "text/html", ...headers } };
  const page = await server.ask(path, ask);
  const { document } = parseHTML(await page.text());
  if (!formOf(document, intent).querySelector(`[name="${field}"]`))
    throw new Error(`The form of ${path} has no field ${field}.`);
  const { action, fields } = submissionOf(document, intent);
  const { [field]: _, ...others } = fields;
  const form = value === null ? others : { ...fields, [field]: value };
  return { response: await server.ask(action || path, { ...ask, form }), before: fields[field] ?? null };
}
