import { number, origins, safeguard, toggle } from "~/core/field.schema";
import { defineGroup } from "./group.schema";

export const security = defineGroup({
  id: "security",
  label: "Security",
  permission: "settings.manage",
  fields: {
    enableCSP: safeguard({
      label: "Content security policy",
      hint: "Allow only known scripts and styles; only owners can turn this off",
      appliedBy: "http",
    }),
    enableCORS: toggle(false, {
      label: "Cross-origin access",
      hint: "Let pages from other origins call the API, without cookies",
      appliedBy: "http",
    }),
    corsOrigins: origins({
      label: "Allowed origins",
      hint: "List the origins for cross-origin access, such as https://app.example.org, separated by spaces. Leave blank to allow all.",
      appliedBy: "http",
    }),
    sessionTimeout: number(3600, {
      label: "Session timeout",
      hint: "End idle sessions after this time, in seconds; every session ends after 30 days",
      min: 300,
      max: 86_400,
      step: 300,
      unit: "seconds",
      appliedBy: "members",
    }),
    requireSecondFactor: toggle(false, {
      label: "Require a second factor",
      hint: "Members with a password set up an authenticator app or a passkey before anything else; accounts of the OAuth provider and API tokens aren't asked",
      appliedBy: "members",
    }),
    enforceHttps: toggle(false, {
      label: "HTTPS only",
      hint: "Refuse plain HTTP; can only be turned on over HTTPS",
      appliedBy: "http",
    }),
    allowShareLinks: toggle(false, {
      label: "Conversation links",
      hint: "Let members share conversations with anyone by read-only links; turning this off stops all links",
      appliedBy: "chat",
    }),
    allowTemporaryChats: toggle(true, {
      label: "Temporary chats",
      hint: "Let members chat without a record: nothing is stored but usage, so no audit entry, search or export has them",
      appliedBy: "chat",
    }),
    allowMemory: toggle(true, {
      label: "Memory",
      hint: "Let members have chats remember facts about them, which each turns on and sees under Profile; turning this off stops their use and deletes nothing",
      appliedBy: "chat",
    }),
    conversationRetention: number(0, {
      label: "Conversation retention",
      hint: "Delete conversations and comparisons this many days after their last message, in the night after; 0 keeps them. All of them go, pinned, archived and shared ones too, with their files, shares and ratings. An answer that runs or waits for an approval is spared; usage and the audit log stay.",
      min: 0,
      max: 3650,
      unit: "days",
      appliedBy: "chat",
    }),
    enableAuditLogs: safeguard({
      label: "Audit log",
      hint: "Record activity and security events; only owners can turn this off",
      appliedBy: "audit",
    }),
  },
});
