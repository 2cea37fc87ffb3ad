/** The windows of the shell's own that are of one part: none of them is in the page that is loaded first. */
import '../queue/svc-queue.ts';
import '../settings/svc-settings.ts';
import '../shop/svc-shop.ts';
import '../tasks/task-manager.ts';
