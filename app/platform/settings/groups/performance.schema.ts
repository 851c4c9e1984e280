import { number, toggle } from "~/core/field.schema";
import { defineGroup } from "./group.schema";

export const performance = defineGroup({
  id: "performance",
  label: "Performance",
  permission: "settings.manage",
  fields: {
    enableCaching: toggle(true, {
      label: "Caching",
      hint: "Cache model lists, query embeddings and repeated searches",
      appliedBy: "settings",
    }),
    cacheTimeout: number(300, {
      label: "Cache timeout",
      hint: "Set how long cached data is used, in seconds",
      min: 60,
      max: 3600,
      step: 60,
      unit: "seconds",
      appliedBy: "settings",
    }),
    enableCompression: toggle(true, {
      label: "Compression",
      hint: "Compress pages and API responses",
      appliedBy: "http",
    }),
    enableMinification: toggle(true, {
      label: "Minification",
      hint: "Minify the custom CSS; built assets are always minified",
      appliedBy: "branding",
    }),
    rateLimitEnabled: toggle(true, {
      label: "Rate limiting",
      hint: "Limit API calls and changes, not assets and page loads",
      appliedBy: "http",
    }),
    rateLimit: number(100, {
      label: "Rate limit",
      hint: "Set how many API calls and changes are allowed per minute",
      min: 10,
      max: 1000,
      step: 10,
      unit: "requests per minute",
      appliedBy: "http",
    }),
  },
});
