import type { FeatureFacts } from "../facts.schema";

export const feature = {
  permissions: {
    "chat.use": {
      least: "member",
      scope: "Chat with models",
      refusal: "Viewers can't chat with models. Ask an admin for the member role.",
    },
  },
  audit: {
    "attachment.added": "Attached a file to a message ({mediaType})",
    "attachment.removed": "Removed an attached file before sending",
    "conversation.created": "Started a conversation with {model}",
    "conversation.continued": "Continued a conversation with {model}",
    "conversation.regenerated": "Regenerated an answer with {model}",
    "conversation.edited": "Edited a message and asked {model} again",
    "conversation.branched": "Branched a conversation",
    "conversation.stopped": "Stopped an answer",
    "conversation.shared": "Shared a conversation with {audience}",
    "conversation.unshared": "Stopped sharing a conversation",
    "conversation.link_created": "Created a read-only link to a conversation",
    "conversation.link_revoked": "Revoked a read-only link to a conversation",
    "conversation.exported": "Exported a conversation as {format}",
    "conversation.import_started": "Started importing conversations from {file}",
    "conversation.imported": "Imported {imported} conversations",
    "conversation.sharing_allowed": "Allowed tools to share a restricted conversation",
    "conversation.sharing_withdrawn": "Stopped tools from sharing a restricted conversation",
  },
  topics: { "conversation-imports": "chat.use" },
} as const satisfies FeatureFacts;
