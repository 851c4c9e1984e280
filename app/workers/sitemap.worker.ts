import { serve } from "~/core/serve";
import { parseSitemap, SitemapTask } from "~/work/documents/ingestion/sitemap-task";

serve(SitemapTask, parseSitemap);
