import { parseSitemap, SitemapTask } from "~/work/documents/ingestion/sitemap-task";
import { serve } from "./serve";

serve(SitemapTask, parseSitemap);
