import { serve } from "~/core/serve";
import { partsOf } from "~/work/plugins/bundled/web-scraping/page-parts.thread";
import { PageTask } from "~/work/plugins/bundled/web-scraping/page-task";

serve(PageTask, partsOf);
