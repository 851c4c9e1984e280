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
    "conversation.created": "Started a conversation with {model}",
    "conversation.continued": "Continued a conversation with {model}",
    "conversation.regenerated": "Regenerated an answer with {model}",
    "conversation.stopped": "Stopped an answer",
    "conversation.sharing_allowed": "Allowed tools to share a restricted conversation",
    "conversation.sharing_withdrawn": "Stopped tools from sharing a restricted conversation",
  },
  screens: [
    {
      name: "AI Chat",
      to: "/chat",
      icon: "MessageSquare",
      side: 2,
      covers: ["/compare"],
      key: "2",
      letter: "c",
      keywords: "conversation",
    },
  ],
  commands: [
    {
      id: "start-chat",
      name: "Start AI chat",
      to: "/chat",
      icon: "MessageSquare",
      key: "c",
      letter: "c",
      keywords: "ask conversation message",
    },
  ],
} as const satisfies FeatureFacts;
