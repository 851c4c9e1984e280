import { number, safeguard, toggle } from "./field.schema";
import { defineGroup } from "./group.schema";

export const security = defineGroup({
  id: "security",
  label: "Security",
  permission: "settings.manage",
  fields: {
    enableCSP: safeguard({
      label: "Content security policy",
      hint: "Only an owner may turn it off",
      obeyedBy: "http",
    }),
    enableCORS: toggle(false, {
      label: "Cross-origin access",
      hint: "Lets pages of other origins call the API; never with cookies",
      obeyedBy: "http",
    }),
    sessionTimeout: number(3600, {
      label: "Session timeout",
      hint: "Ends a session after this time without activity. Every session ends 30 days after sign-in",
      min: 300,
      max: 86_400,
      step: 300,
      unit: "seconds",
      obeyedBy: "members",
    }),
    enforceHttps: toggle(false, {
      label: "Enforce HTTPS",
      hint: "Refuses plain HTTP; can only be switched on over HTTPS",
      obeyedBy: "http",
    }),
    enableAuditLogs: safeguard({
      label: "Audit log",
      hint: "Only an owner may turn it off",
      obeyedBy: null,
    }),
  },
});
