import { serve } from "~/core/serve";
import { runBackupTask } from "~/team/backups/backup.thread";
import { BackupTask } from "~/team/backups/backup-task";

serve(BackupTask, runBackupTask);
