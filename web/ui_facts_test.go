package web_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/digital-asset-library/dal/app/account"
	"github.com/digital-asset-library/dal/app/media/embed"
)

// Limits in the application's texts match those of the server.
func TestTheApplicationsTextsTellTheBounds(t *testing.T) {
	t.Parallel()
	days := int(account.SessionLife / (24 * time.Hour))
	for file, said := range map[string][]string{
		"account/texts.ts": {
			fmt.Sprintf("'At least %d characters.", account.MinPassword), fmt.Sprintf("'Mindestens %d Zeichen.", account.MinPassword),
			fmt.Sprintf("ends %d days after", days), fmt.Sprintf("endet %d Tage nach", days),
		},
		"session/texts.ts": {
			fmt.Sprintf("'At least %d characters.", account.MinPassword), fmt.Sprintf("'Mindestens %d Zeichen.", account.MinPassword),
		},
		"viewer/DownloadMenu.tsx": {"const embeds = ['" + strings.Join(embed.Types(), "', '") + "']"},
	} {
		text, err := os.ReadFile("ui/src/features/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range said {
			if !strings.Contains(string(text), s) {
				t.Errorf("%s does not say %q", file, s)
			}
		}
	}
}
