package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// sessionTime is how long a session can last. It also ends with the browser.
const sessionTime = 12 * time.Hour

const cookieName = "context_session"

// sessions tell who has sent the token of the server. They keep no state: a cookie contains when
// the session ends, and a code that only the server can compute from this time and the token. So
// several servers with the same token share sessions, and a new token ends them all.
type sessions struct {
	token string // "" lets everybody in
	now   func() time.Time
}

// allows reports whether a request belongs to a session, or contains the token as programs send it.
func (s sessions) allows(r *http.Request) bool {
	if s.token == "" {
		return true
	}
	if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "Bearer") {
		return s.isToken(token)
	}
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		return false
	}
	end, code, _ := strings.Cut(cookie.Value, ".")
	seconds, err := strconv.ParseInt(end, 10, 64)
	return err == nil && s.now().Unix() < seconds && hmac.Equal([]byte(code), []byte(s.code(end)))
}

// isToken compares in constant time.
func (s sessions) isToken(text string) bool {
	got, right := sha256.Sum256([]byte(strings.TrimSpace(text))), sha256.Sum256([]byte(s.token))
	return subtle.ConstantTimeCompare(got[:], right[:]) == 1
}

func (s sessions) code(end string) string {
	mac := hmac.New(sha256.New, []byte(s.token))
	fmt.Fprintf(mac, "session of the page until %s", end)
	return hex.EncodeToString(mac.Sum(nil))
}

// begin sends the cookie of a new session.
func (s sessions) begin(w http.ResponseWriter, r *http.Request) {
	end := strconv.FormatInt(s.now().Add(sessionTime).Unix(), 10)
	setCookie(w, r, end+"."+s.code(end), 0)
}

// end removes the cookie.
func (s sessions) end(w http.ResponseWriter, r *http.Request) { setCookie(w, r, "", -1) }

func setCookie(w http.ResponseWriter, r *http.Request, value string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: value, Path: "/", MaxAge: age, HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
	})
}
