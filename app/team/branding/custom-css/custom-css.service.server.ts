import { createHash } from "node:crypto";
import { z } from "zod";
import { cachedByConfig } from "~/core/config-cache.server";
import { type Db, db, transaction } from "~/core/db.server";
import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import {
  findOrgRecord,
  installationOrgId,
  readSetting,
  saveOrgRecord,
} from "~/platform/settings/settings.service.server";
import { cleanCssInWorker } from "../brand-worker.service.server";
import { CUSTOM_CSS_ATTRIBUTE } from "../look.shared";

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/** Increment when a change of `cleanCss` affects served sheets. 2: rules are scoped. */
const RULES = 2;

export const CompiledCss = z.object({
  source: z.string(),
  minified: z.string(),
  formatted: z.string(),
  rules: z.number().default(1),
});
export type CompiledCss = z.infer<typeof CompiledCss>;

/** @throws AppError `invalid` with the refused rules and their lines; `unavailable` */
export async function compileCss(source: string): Promise<CompiledCss> {
  if (source.trim() === "") return { source: digest(source), minified: "", formatted: "", rules: RULES };
  const cleaned = await cleanCssInWorker(source, CUSTOM_CSS_ATTRIBUTE);
  if (cleaned.kind === "clean") {
    const { minified, formatted } = cleaned;
    return { source: digest(source), minified, formatted, rules: RULES };
  }
  const [first = "unknown reason"] = cleaned.problems;
  throw new AppError("invalid", `Custom CSS: ${first}`, { fields: { customCss: cleaned.problems } });
}

export function saveCompiledCss(tx: Db, orgId: string, compiled: CompiledCss): void {
  saveOrgRecord(tx, orgId, "custom-css", compiled);
}

/** Recompiles CSS saved under earlier rules; CSS that is refused now isn't served. */
export async function refreshCustomCss(): Promise<void> {
  const orgId = installationOrgId();
  if (orgId === undefined) return;
  const source = readSetting(orgId, "branding.customCss");
  const compiled = CompiledCss.safeParse(findOrgRecord(db(), orgId, "custom-css"));
  if (!source || compiled.data?.source !== digest(source) || compiled.data.rules === RULES) return;
  const refused = (error: unknown): CompiledCss => {
    log.warn("custom CSS of an earlier version is refused and not served", { error });
    return { source: digest(source), minified: "", formatted: "", rules: RULES };
  };
  const fresh = await compileCss(source).catch(refused);
  transaction((tx) => {
    if (readSetting(orgId, "branding.customCss") === source) saveCompiledCss(tx, orgId, fresh);
  });
}

interface StyleSheet {
  css: string;
  version: string;
}

const readSheet = cachedByConfig<{ sheet: StyleSheet | undefined }>(
  ["settings:custom-css", "settings:branding", "settings:performance"],
  (orgId) => {
    const source = readSetting(orgId, "branding.customCss");
    const compiled = CompiledCss.safeParse(findOrgRecord(db(), orgId, "custom-css"));
    if (!source || compiled.data?.source !== digest(source)) return { sheet: undefined };
    const { minified, formatted } = compiled.data;
    const css = readSetting(orgId, "performance.enableMinification") ? minified : formatted;
    return { sheet: css.trim() ? { css, version: digest(css).slice(0, 12) } : undefined };
  },
);

export function readCustomCss(): StyleSheet | undefined {
  const orgId = installationOrgId();
  return orgId === undefined ? undefined : readSheet(orgId).sheet;
}

export function customCssAddress(): string | null {
  const sheet = readCustomCss();
  return sheet ? `/custom.css?v=${sheet.version}` : null;
}
