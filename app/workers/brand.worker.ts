import { BrandTask, runBrandTask } from "~/team/branding/brand-task";
import { serve } from "./serve";

serve(BrandTask, runBrandTask);
