/* The built-in wall phrases: strong ones are fixed texts of bot checks and consent pages, the others everyday words. */
#include "core/walls.h"

static const bwt_wall_marker markers[] = {
    /* bot checks and interstitials */
    {"checking your browser before accessing", true},
    {"verify you are human", true},
    {"verify that you are human", true},
    {"enable javascript and cookies to continue", true},
    {"please complete the security check", true},
    {"our systems have detected unusual traffic", true},
    {"press & hold to confirm you are", true},
    {"before you continue to google", true},
    {"before you continue to youtube", true},
    {"just a moment...", false},
    {"attention required!", false},
    {"access denied", false},
    {"are you a robot", false},
    /* logins: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Turkish, Swedish,
     * Japanese, Chinese, Korean */
    {"sign in to continue", false},
    {"log in to continue", false},
    {"please log in", false},
    {"please sign in", false},
    {"you must be logged in", false},
    {"bitte melden sie sich an", false},
    {"connectez-vous pour continuer", false},
    {"inicia sesi\xc3\xb3n para continuar", false},
    {"accedi per continuare", false},
    {"fa\xc3\xa7" "a login para continuar", false},
    {"log in om verder te gaan", false},
    {"zaloguj si\xc4\x99, aby kontynuowa\xc4\x87", false},
    {"\xd0\xb2\xd0\xbe\xd0\xb9\xd0\xb4\xd0\xb8\xd1\x82\xd0\xb5, \xd1\x87\xd1\x82\xd0\xbe\xd0\xb1\xd1\x8b", false},
    {"devam etmek i\xc3\xa7in giri\xc5\x9f yap", false},
    {"logga in f\xc3\xb6r att forts\xc3\xa4tta", false},
    {"\xe3\x83\xad\xe3\x82\xb0\xe3\x82\xa4\xe3\x83\xb3\xe3\x81\x97\xe3\x81\xa6\xe3\x81\x8f\xe3\x81\xa0\xe3\x81\x95\xe3\x81\x84", false},
    {"\xe8\xaf\xb7\xe5\x85\x88\xe7\x99\xbb\xe5\xbd\x95", false},
    {"\xeb\xa1\x9c\xea\xb7\xb8\xec\x9d\xb8\xed\x95\xb4 \xec\xa3\xbc\xec\x84\xb8\xec\x9a\x94", false},
};

size_t bwt_wall_marker_count(void)
{
    return sizeof markers / sizeof *markers;
}

bwt_wall_marker bwt_wall_marker_at(size_t index)
{
    return markers[index];
}
