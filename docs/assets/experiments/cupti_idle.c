/* Calls cuptiGetVersion of a given libcupti from C, to check what cupti_idle.py saw through ctypes.
   cc cupti_idle.c -ldl -o cupti_idle && for library in .../libcupti.so.13; do ./cupti_idle $library; echo "exit $?"; done */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int main(int count, char **arguments) {
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (!library) {
        puts(count > 1 ? dlerror() : "usage: cupti_idle LIBRARY");
        return 2;
    }
    int (*get_version)(uint32_t *) = (int (*)(uint32_t *))dlsym(library, "cuptiGetVersion");
    uint32_t version = 0;
    int result = get_version(&version);
    printf("cuptiGetVersion: %d, version %u\n", result, version);
    return 0;
}
