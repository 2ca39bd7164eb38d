/* Plays ptxas on Windows, as the text that it is given says.
 *
 *   // hang FILE   starts a process that writes to FILE without end, and waits for ever
 *   // flood       writes without end
 *   // crash       ends without a verdict
 *
 * Otherwise it warns of every `add`. Where it was run is appended to a file beside it. */

#include <stdio.h>
#include <string.h>
#include <windows.h>

#define LENGTH 4096

static void write_for_ever(const char *path) {
    for (;;) {
        FILE *file = fopen(path, "ab");
        if (file) {
            fputc('.', file);
            fclose(file);
        }
        Sleep(20);
    }
}

static void hang(const char *self, const char *path) {
    char line[3 * LENGTH];
    STARTUPINFOA start = {.cb = sizeof start};
    PROCESS_INFORMATION child;
    snprintf(line, sizeof line, "\"%s\" --write \"%s\"", self, path);
    CreateProcessA(self, line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &child);
    Sleep(INFINITE);
}

int main(int count, char **arguments) {
    char self[LENGTH], folder[LENGTH], line[LENGTH];
    GetModuleFileNameA(NULL, self, sizeof self);
    if (count == 3 && !strcmp(arguments[1], "--write"))
        write_for_ever(arguments[2]);
    if (count == 2 && !strcmp(arguments[1], "--version")) {
        puts("Cuda compilation tools, release 13.5, V13.5.37");
        return 0;
    }
    if (count == 2 && !strcmp(arguments[1], "--help")) {
        puts("'sm_80'");
        return 0;
    }
    GetCurrentDirectoryA(sizeof folder, folder);
    snprintf(line, sizeof line, "%s.folders", self);
    FILE *folders = fopen(line, "ab");
    fprintf(folders, "%s\n", folder);
    fclose(folders);
    FILE *input = fopen("input.ptx", "rb");
    if (!input)
        return 2;
    for (int number = 1; fgets(line, sizeof line, input); number++) {
        line[strcspn(line, "\r\n")] = 0;
        if (!strncmp(line, "// hang ", 8))
            hang(self, line + 8);
        if (!strcmp(line, "// flood"))
            for (;;)
                fputs("ptxas info    : no end\n", stderr);
        if (!strcmp(line, "// crash"))
            return 3;
        if (strstr(line, "add."))
            fprintf(stderr, "ptxas input.ptx, line %d; warning : Instruction 'add' is odd\n", number);
    }
    fputs("ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
          "ptxas info    : Used 24 registers, used 0 barriers\n", stderr);
    return 0;
}
