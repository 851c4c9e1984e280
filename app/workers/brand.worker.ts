import { serve } from "~/core/serve";
import { BrandTask, runBrandTask } from "~/team/branding/brand-task";

serve(BrandTask, runBrandTask);
