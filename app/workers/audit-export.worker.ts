import { ExportTask } from "~/console/audit/encode-entries.server";
import { exportBatch } from "~/console/audit/export.thread";
import { serve } from "~/core/serve";

serve(ExportTask, exportBatch);
