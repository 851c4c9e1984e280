import type { FeatureFacts } from "../facts.shared";

export const feature = {
  audit: {
    "backup.requested": "Started a backup",
    "backup.created": "Created the backup {name}",
    "backup.downloaded": "Downloaded the backup {name}",
    "backup.uploaded": "Uploaded the backup {name}",
    "backup.deleted": "Deleted the backup {name}",
    "restore.requested": "Started restoring the backup {name}",
    "backup.restored": "Restored the backup {name} of {createdAt}",
    "check.requested": "Started a check of the database",
    "compaction.requested": "Started compacting the database",
  },
} as const satisfies FeatureFacts;
