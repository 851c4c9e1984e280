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
    "conversation.sharing_allowed": "Allowed tools to share a restricted conversation",
    "conversation.sharing_withdrawn": "Stopped tools from sharing a restricted conversation",
    "conversation.tool_approved": "Approved a call of the tool {tool}",
    "conversation.tool_refused": "Refused a call of the tool {tool}",
    "conversation.tool_approval_withdrawn": "Withdrew the approval of the tool {tool} for a conversation",
  },
} as const satisfies FeatureFacts;
