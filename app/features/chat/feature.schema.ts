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
    "conversation.edited": "Edited a message and asked {model} again",
    "conversation.branched": "Branched a conversation",
    "conversation.stopped": "Stopped an answer",
    "conversation.renamed": "Renamed a conversation",
    "conversation.pinned": "Pinned a conversation",
    "conversation.unpinned": "Unpinned a conversation",
    "conversation.archived": "Archived a conversation",
    "conversation.unarchived": "Restored a conversation from the archive",
    "conversation.moved": "Moved a conversation to another folder",
    "conversation.deleted": "Deleted a conversation",
    "conversation.restored": "Restored a deleted conversation",
    "conversation_folder.created": "Created a conversation folder",
    "conversation_folder.updated": "Renamed a conversation folder",
    "conversation_folder.deleted": "Deleted a conversation folder",
    "conversation.sharing_allowed": "Allowed tools to share a restricted conversation",
    "conversation.sharing_withdrawn": "Stopped tools from sharing a restricted conversation",
  },
} as const satisfies FeatureFacts;
