/* Replays the stored inputs of tests/fuzz, each also cut at every byte and with bytes changed. Run from the root. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "../fuzz/fuzz_extract.c"

#define CORPUS "tests/fuzz/corpus_extract"
enum { LONGEST_INPUT = 8192, CHANGES = 300 };

/* An exact copy, so that a read past the end is seen. */
static void run(const uint8_t *data, size_t len)
{
    uint8_t *copy = malloc(len > 0 ? len : 1);
    assert_non_null(copy);
    memcpy(copy, data, len);
    LLVMFuzzerTestOneInput(copy, len);
    free(copy);
}

static void run_with_changes(uint8_t *data, size_t len)
{
    static const uint8_t odd[] = {0, '"', '\\', '{', '}', '[', ']', ',', ':', '<', '&', 0x80, 0xC2, 0xFF, '9', 'u'};
    dice from = {.state = len};
    run(data, len);
    for (size_t cut = 0; cut < len; cut++) run(data, cut);
    for (int i = 0; i < CHANGES; i++) {
        uint8_t changed[LONGEST_INPUT];
        memcpy(changed, data, len);
        for (uint64_t count = 1 + dice_below(&from, 3); count > 0; count--) {
            changed[dice_below(&from, len)] = odd[dice_below(&from, sizeof odd)];
        }
        run(changed, len);
    }
}

static void every_stored_input(void **state)
{
    (void)state;
    DIR *folder = opendir(CORPUS);
    if (folder == NULL) fail_msg("no " CORPUS " here: run from the root of the repository");
    size_t files = 0;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (entry->d_name[0] == '.') continue;
        char path[512];
        static uint8_t data[LONGEST_INPUT];
        snprintf(path, sizeof path, CORPUS "/%s", entry->d_name);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        size_t len = fread(data, 1, sizeof data, file);
        fclose(file);
        assert_in_range(len, 2, LONGEST_INPUT - 1);
        run_with_changes(data, len);
        files++;
    }
    closedir(folder);
    assert_true(files >= 10);
}

static void random_bytes(void **state)
{
    (void)state;
    dice from = {.state = 1};
    for (int round = 0; round < 2000; round++) {
        uint8_t data[64];
        size_t len = (size_t)dice_below(&from, sizeof data);
        for (size_t i = 0; i < len; i++) data[i] = (uint8_t)dice_below(&from, 256);
        run(data, len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        leak_checked(every_stored_input),
        leak_checked(random_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
