import { number, toggle } from "./field.schema";
import { defineGroup } from "./group.schema";

export const performance = defineGroup({
  id: "performance",
  label: "Performance",
  permission: "settings.manage",
  fields: {
    enableCaching: toggle(true, {
      label: "Caching",
      hint: "Keeps lists of models and hubs, query embeddings and repeated searches; off asks each time",
      obeyedBy: null,
    }),
    cacheTimeout: number(300, {
      label: "Cache timeout",
      hint: "Age at which cached answers are asked for again, in seconds",
      min: 60,
      max: 3600,
      step: 60,
      unit: "seconds",
      obeyedBy: null,
    }),
    enableCompression: toggle(true, {
      label: "Compression",
      hint: "Compresses pages and answers",
      obeyedBy: "http",
    }),
    enableMinification: toggle(true, {
      label: "Minification",
      hint: "Minifies the custom CSS; built assets are always minified",
      obeyedBy: null,
    }),
    rateLimitEnabled: toggle(true, {
      label: "Rate limiting",
      hint: "Limits API calls and changes, not assets and page loads",
      obeyedBy: "http",
    }),
    rateLimit: number(100, {
      label: "Rate limit",
      hint: "API calls and changes a minute",
      min: 10,
      max: 1000,
      step: 10,
      unit: "requests a minute",
      obeyedBy: "http",
    }),
  },
});
