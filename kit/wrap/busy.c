/* Whether work is under way that must not be lost: `ocupado` in /saude. */
#include "wrap.h"

bool is_busy(void) { return false; }
void look_after_busy(int64_t now) { (void)now; }
