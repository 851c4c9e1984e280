import { serve } from "~/core/serve";
import { queryTables } from "~/work/plugins/bundled/data-analyst/tables.thread";
import { TablesTask } from "~/work/plugins/bundled/data-analyst/tables-task";

serve(TablesTask, queryTables);
