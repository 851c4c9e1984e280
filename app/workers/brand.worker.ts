import { BrandTask, runBrandTask } from "~/features/branding/brand-task";
import { serve } from "./serve";

serve(BrandTask, runBrandTask);
