//! Pages in the manner of real ones, and pages that only look like them.

use rhumb_web::{Canon, CanonUrl, Mark};

use super::{Facts, mark};
use crate::read;

/// The marks and signs of a page. The request is its status, URL and headers, a line each; a status
/// with an arrow before it was redirected to.
fn marked(request: &str, html: &str) -> Option<(Mark, Vec<&'static str>)> {
    let mut lines = request.lines();
    let first = lines.next().unwrap_or_default();
    let (status, url) = first.split_once(' ').expect("a status and a URL");
    let url = CanonUrl::parse(&format!("https://{url}")).expect("a URL");
    let headers = lines.map(|line| line.split_once(": ").expect("a header")).collect();
    let page = read(html.as_bytes(), Some("text/html; charset=utf-8"), &url, Canon::Full, false);
    let redirected = status.starts_with('>');
    let status = status.trim_start_matches('>').parse().expect("a status");
    mark(&page, &Facts { url: &url, status, headers, body: html.as_bytes(), redirected })
}

fn check_all(expect: Option<Mark>, pages: &[(&str, &str)]) {
    for (request, html) in pages {
        let found = marked(request, html);
        assert_eq!(found.as_ref().map(|(mark, _)| *mark), expect, "{found:?} {request}\n{html}");
        if let Some((_, signs)) = found {
            assert!(signs.len() >= 2, "{signs:?} {html}");
        }
    }
}

#[test]
fn gates_are_marked() {
    check_all(Some(Mark::Challenge), GATES);
}

#[test]
fn parked_domains_are_marked() {
    check_all(Some(Mark::Parked), PARKED);
}

#[test]
fn errors_with_a_good_status_are_marked() {
    check_all(Some(Mark::SoftError), ABSENT);
}

#[test]
fn pages_that_only_speak_of_errors_gates_and_domains_are_not_marked() {
    check_all(None, ORDINARY);
}

#[test]
fn a_long_page_is_not_marked_whatever_its_title() {
    let text =
        "<p>How we fixed links that led nowhere, and what we learned from it.</p>".repeat(60);
    for title in ["404 Not Found", "Just a moment...", "shop.example is for sale"] {
        let html = format!("<title>{title}</title>{text}");
        assert_eq!(marked("200 shop.example/", &html), None, "{title}");
    }
}

#[test]
fn an_error_under_a_long_menu_is_marked() {
    let menu = "<li><a href=/department>A department of ours</a></li>".repeat(200);
    let html = format!(
        "<title>Page not found | Shop</title><ul>{menu}</ul><h1>Page not found</h1>\
         <p>The page you requested has gone.</p>"
    );
    assert!(matches!(marked("200 shop.example/x", &html), Some((Mark::SoftError, _))));
}

#[test]
fn a_status_of_an_error_is_no_soft_error() {
    let html =
        "<title>404 Not Found</title><h1>Not Found</h1><p>The requested URL is not here.</p>";
    assert!(marked("200 a.example/x", html).is_some());
    for status in [404, 410, 403, 500] {
        assert_eq!(marked(&format!("{status} a.example/x"), html), None, "{status}");
    }
}

#[test]
fn a_gate_that_says_nothing_is_known_by_its_answer() {
    let found = marked("403 a.example/\ncf-mitigated: challenge", "");
    assert_eq!(
        found.map(|(_, signs)| signs).unwrap_or_default(),
        ["header: cf-mitigated", "status 403", "nearly empty"]
    );
    assert!(marked("202 a.example/\nx-amzn-waf-action: challenge", "").is_some());
    assert!(marked("403 a.example/\nserver: cloudflare", "").is_none());
}

/// Gates.
const GATES: &[(&str, &str)] = &[
    (
        "403 a.example/\ncf-mitigated: challenge\nserver: cloudflare",
        "<title>Just a moment...</title><meta name=robots content=noindex,nofollow><noscript><p>Enable JavaScript and cookies to continue</p></noscript><script>(function(){window._cf_chl_opt={cvId:'3'};})();</script>",
    ),
    (
        "503 a.example/x\nserver: cloudflare",
        "<title>Just a moment…</title><h1>a.example</h1><p>Checking your browser before letting you in.</p><script src='/cdn-cgi/challenge-platform/h/g/orchestrate/jsch/v1?ray=1'></script>",
    ),
    (
        "403 a.example/",
        "<title>Nur einen Moment…</title><h2>Bestätigen Sie, dass Sie ein Mensch sind.</h2><script>window._cf_chl_opt={}</script>",
    ),
    (
        "403 a.example/",
        "<title>Un instant…</title><p>Vérifiez que vous êtes humain.</p><script src=https://challenges.cloudflare.com/turnstile/v0/api.js></script>",
    ),
    (
        "403 a.example/\nserver: cloudflare",
        "<title>Attention Required! | Cloudflare</title><h1>Sorry, you have been blocked</h1><p>a.example keeps itself safe.</p><p>Cloudflare Ray ID: 8a1</p>",
    ),
    (
        "200 a.example/",
        "<title>Security check</title><form><p>Please verify you are human.</p><div class=h-captcha></div></form><meta name=robots content=noindex><script src=https://js.hcaptcha.com/1/api.js></script>",
    ),
    (
        "429 search.example/sorry",
        "<title>search.example</title><form action=/sorry method=post><div class=g-recaptcha></div></form><p>We saw unusual traffic from your network. IP: 192.0.2.1</p>",
    ),
    (
        "403 shop.example/\nx-dd-b: 1",
        "<title>shop.example</title><p>Please enable JS and disable any ad blocker</p><script>var dd={'rt':'c','host':'geo.captcha-delivery.com'}</script>",
    ),
    (
        "403 shop.example/\nx-datadome: protected",
        "<title>shop.example</title><iframe src='https://geo.captcha-delivery.com/captcha/?cid=1'></iframe>",
    ),
    (
        "403 shop.example/",
        "<title>Access to this page has been denied</title><h1>Press & Hold to confirm you are a person</h1><div id=px-captcha></div><script src=//captcha.px-cdn.net/PX1/captcha.js></script><p>Reference ID 1-2</p>",
    ),
    (
        "200 shop.example/",
        "<title>Pardon Our Interruption</title><p>Something about your browser made us think that you are a bot.</p><p>Scripts are off, or you are very fast.</p>",
    ),
    (
        "200 bank.example/\nx-iinfo: 1-2",
        "<meta name=robots content='noindex, nofollow'><iframe src='/_Incapsula_Resource?CWUDNSAI=9&edet=12'>Request unsuccessful. Incapsula incident ID: 1-2</iframe>",
    ),
    (
        "403 air.example/\nserver: AkamaiGHost",
        "<title>Access Denied</title><h1>Access Denied</h1><p>You are not let in here. Reference #18.1f2</p><p>https://errors.edgesuite.net/18.1f2</p>",
    ),
    (
        "403 air.example/\nserver: AkamaiGHost",
        "<TITLE>Access Denied</TITLE><H1>Access Denied</H1> Reference&#32;&#35;9.ab",
    ),
    (
        "405 a.example/",
        "<title>Human Verification</title><div id=captcha-container></div><script>window.gokuProps={'key':'A'}</script><noscript>Please verify that you are not a robot. Scripts are needed.</noscript>",
    ),
    (
        "202 a.example/\nx-amzn-waf-action: challenge",
        "<title></title><script>window.awsWafCookieDomainList=[]</script><script src=https://1.token.awswaf.com/1/challenge.js></script>",
    ),
    (
        "403 blog.example/\nx-sucuri-block: 1",
        "<title>Sucuri WebSite Firewall - Access Denied</title><p>Your request was stopped by the Sucuri Website Firewall. Block ID: BOT1</p>",
    ),
    (
        "200 blog.example/",
        "<title>You are being redirected...</title><noscript>Scripts are needed.</noscript><script>var s={},u,sucuri_cloudproxy_js='';</script>",
    ),
    (
        "200 git.example/x",
        "<title>Making sure you're not a bot!</title><script id=anubis_challenge type=application/json>{}</script><p>Your browser is doing a little sum.</p><script src=/.within.website/x/cmd/anubis/static/js/main.mjs></script>",
    ),
    (
        "200 git.example/y",
        "<title>Wir prüfen, dass Sie kein Bot sind</title><script id='anubis_challenge'>{}</script><p>Ihr Browser rechnet.</p>",
    ),
    (
        "403 forum.example/\nserver: ddos-guard",
        "<title>DDoS-Guard</title><h1>Checking your browser before accessing forum.example</h1><script src=/.well-known/ddos-guard/js-challenge/index.js></script>",
    ),
    (
        "403 forum.example/",
        "<title>Проверка браузера</title><p>Подождите: мы хотим знать, что вы не робот.</p>",
    ),
    (
        "200 ya.example/showcaptcha",
        "<title>Вы не робот?</title><p>Подтвердите, что вы не робот.</p><form action=/showcaptcha></form>",
    ),
    (
        "200 a.example/",
        "<title>Verificación de seguridad</title><p>Confirma que no eres un robot para seguir.</p>",
    ),
    ("403 a.example/", "<title>Verificação</title><p>Confirme que você é humano.</p>"),
    (
        "429 a.example/",
        "<title>Controllo</title><p>Dimostra che non sei un robot.</p><div class=cf-turnstile></div>",
    ),
    (
        "200 a.example/",
        "<title>安全验证</title><p>请完成安全验证后继续访问</p><script src=https://static.geetest.com/v4/gt4.js></script>",
    ),
    ("403 a.example/", "<title>アクセス</title><p>あなたがロボットではないことを確認します。</p>"),
    ("403 a.example/", "<title>보안 확인</title><p>사람인지 확인하고 있습니다.</p>"),
    (
        "200 a.example/",
        "<title>Robot Check</title><p>Type the signs that you see: please solve the captcha.</p>",
    ),
    ("403 a.example/", "<title>Eén moment</title><p>Laat zien dat je geen robot bent.</p>"),
    (
        "200 a.example/",
        "<title>Request Rejected</title><p>The requested URL was rejected. Please consult with your administrator.</p><p>Your support ID is: 12</p>",
    ),
];

/// Domains without a site.
const PARKED: &[(&str, &str)] = &[
    (
        "200 lake.example/",
        "<title>lake.example</title><script src=https://www.google.com/adsense/domains/caf.js></script><div id=ads></div>",
    ),
    (
        "200 lake.example/",
        "<html><script>window.onload=function(){window.location.href=\"/lander\"}</script></html>",
    ),
    (
        "200 lake.example/lander",
        "<div id=contentMain></div><script>window.LANDER_SYSTEM=\"PW\"</script><script src=https://img1.wsimg.com/parking-lander/static/js/main.js></script>",
    ),
    (
        "200 lake.example/",
        "<title>lake.example - lake resources and information.</title><p>lake.example is your first place for lakes.</p><h2>Related searches</h2><p>This domain may be for sale by its owner!</p><script src=//img.sedoparking.com/js/x.js></script>",
    ),
    (
        "200 lake.example/",
        "<title>lake.example is for sale</title><h1>lake.example</h1><p>Buy this domain</p><p>Related searches</p>",
    ),
    (
        "200 www.lake.example/",
        "<title>lake.example</title><p>The domain is for sale. Write to us.</p>",
    ),
    (
        "200 lake.example/",
        "<title>lake.example</title><p>Inquire about this domain</p><p>Boats</p><p>Fish</p><p>Sponsored listings</p>",
    ),
    (
        "200 see.example/",
        "<title>see.example</title><h1>see.example</h1><p>Diese Domain steht zum Verkauf.</p>",
    ),
    (
        "200 see.example/",
        "<title>see.example</title><p>Domain kaufen? Machen Sie ein Gebot für see.example.</p>",
    ),
    ("200 lac.example/", "<title>lac.example</title><p>Ce nom de domaine est en vente !</p>"),
    (
        "200 lac.example/",
        "<title>lac.example à vendre</title><p>Le domaine est à vendre. Acheter ce domaine : lac.example</p>",
    ),
    ("200 lago.example/", "<title>lago.example</title><p>Este dominio está en venta</p>"),
    ("200 lago.example/", "<title>lago.example</title><p>Questo dominio è in vendita</p>"),
    ("200 lagoa.example/", "<title>lagoa.example</title><p>Este domínio está à venda</p>"),
    ("200 meer.example/", "<title>meer.example</title><p>Deze domeinnaam is te koop</p>"),
    ("200 ozero.example/", "<title>ozero.example</title><p>Домен продаётся</p>"),
    ("200 hu.example/", "<title>hu.example</title><p>此域名正在出售</p>"),
    ("200 mizu.example/", "<title>mizu.example</title><p>このドメインは売り出し中です</p>"),
    (
        "200 lake.example/",
        "<p>Welcome!</p><script src=//d38psrni17bvxu.cloudfront.net/themes/x.js></script>",
    ),
    (
        "200 lake.example/",
        "<frameset><frame src=http://www.sedoparking.com/lake.example></frameset>",
    ),
    ("200 lake.example/", "<p>Welcome!</p><script src=//park.io/x.js></script>"),
    ("200 lake.example/", "<p>Welcome!</p><script src=https://parking.bodis.com></script>"),
];

/// Errors with a good status.
const ABSENT: &[(&str, &str)] = &[
    (
        "200 a.example/x",
        "<title>404 Not Found</title><center><h1>404 Not Found</h1></center><hr><center>nginx</center>",
    ),
    (
        "200 a.example/x",
        "<title>404 Not Found</title><h1>Not Found</h1><p>The requested URL /x was not found on this server.</p>",
    ),
    (
        "200 a.example/x",
        "<title>Page not found - My journal</title><h1>Oops!</h1><p>It looks like nothing stands here. The page you are looking for may have been moved.</p>",
    ),
    (
        "200 a.example/x",
        "<title>Shop</title><h1>Page not found</h1><p>We can't find the page that you want. Check the address.</p><a href=/>Home</a>",
    ),
    (
        ">200 a.example/404.html",
        "<title>Error 404</title><h1>Nothing here</h1><p>Sorry about that, try our start page instead.</p>",
    ),
    (
        "200 a.example/x",
        "<title>Not found</title><meta name=robots content=noindex><h1>Gone fishing</h1><p>Whatever was here is gone now.</p><p>Here is a poem instead, for who came so far along the road to nowhere and wants to rest a while before the way back home begins again.</p><p>It rains.</p><p>It rained.</p><p>It will rain again, they say.</p>",
    ),
    (
        "200 a.example/x",
        "<title>Seite nicht gefunden</title><h1>Ups</h1><p>Die gesuchte Seite gibt es leider nicht mehr.</p>",
    ),
    (
        "200 a.example/x",
        "<title>Fehler 404 | Verein</title><h1>Fehler 404</h1><p>Diese Seite existiert nicht.</p>",
    ),
    ("200 a.example/x", "<title>Page introuvable</title><p>La page demandée n'existe plus.</p>"),
    (
        "200 a.example/x",
        "<title>Página no encontrada - Tienda</title><p>La página que busca no existe.</p>",
    ),
    ("200 a.example/x", "<title>Pagina non trovata</title><p>La pagina richiesta non esiste.</p>"),
    (
        "200 a.example/x",
        "<title>Página não encontrada</title><p>A página que você procura não existe.</p>",
    ),
    (
        "200 a.example/x",
        "<title>Pagina niet gevonden</title><p>De pagina die u zoekt bestaat niet.</p>",
    ),
    ("200 a.example/x", "<title>Strona nie istnieje</title><p>Taka strona nie istnieje.</p>"),
    (
        "200 a.example/x",
        "<title>Страница не найдена</title><p>Запрашиваемая страница была удалена.</p>",
    ),
    ("200 a.example/x", "<title>Sayfa bulunamadı</title><p>Aradığınız sayfa yok.</p>"),
    ("200 a.example/x", "<title>Sidan hittades inte</title><p>Sidan finns inte.</p>"),
    (
        "200 a.example/x",
        "<title>お店</title><h1>ページが見つかりません</h1><p>移動または削除されたようです。</p>",
    ),
    ("200 a.example/x", "<title>页面不存在</title><p>您访问的页面已经离开了。</p>"),
    (
        "200 a.example/x",
        "<title>페이지를 찾을 수 없습니다</title><p>요청하신 페이지가 없습니다.</p>",
    ),
];

/// Pages that are what they seem, some of them hardly.
const ORDINARY: &[(&str, &str)] = &[
    (
        "200 docs.example/http/404",
        "<title>404 Not Found - HTTP | Docs</title><h1>404 Not Found</h1><p>The 404 status code says that the server has no such resource.</p>",
    ),
    (
        "200 docs.example/errors/404",
        "<title>Error 404</title><h1>404 Not Found</h1><p>Returned by the API if the record does not exist.</p>",
    ),
    (
        "200 docs.example/api/NotFound.html",
        "<title>NotFound (API)</title><h1>Class NotFound</h1><p>An exception that is thrown where a page could not be found.</p>",
    ),
    (
        "200 docs.example/mod/core.html",
        "<title>Custom errors</title><h1>Custom errors</h1><p>Use ErrorDocument 404 /notfound.html to say that a page does not exist.</p>",
    ),
    (
        "200 a.example/search?q=zebra",
        "<title>Nothing found</title><h1>Nothing found</h1><p>We couldn't find zebra. Try other words.</p>",
    ),
    (
        "200 a.example/?s=zebra",
        "<title>Page 1 - Nothing Found</title><h1>Nothing Found</h1><p>Sorry, what you're looking for is not here.</p>",
    ),
    ("200 a.example/list?q=", "<title>Results</title><p>No results found for your search.</p>"),
    (
        "200 a.example/",
        "<title>Lost and found</title><h1>Lost and found</h1><p>An umbrella, two gloves.</p>",
    ),
    (
        "200 a.example/route/404",
        "<title>Bus 404</title><h1>Bus 404</h1><p>Main street, station, hospital.</p>",
    ),
    (
        "200 a.example/room/404",
        "<title>Room 404</title><p>Fourth floor, two beds, a view of the sea.</p>",
    ),
    (
        "200 a.example/",
        "<title>App</title><noscript>You need to enable JavaScript to run this app.</noscript><div id=root></div><script src=/static/main.js></script>",
    ),
    (
        "200 a.example/\nset-cookie: visid_incap_1=2\nx-iinfo: 1",
        "<title>App</title><div id=root></div><script src=/_Incapsula_Resource?SWJIYLWA=71></script>",
    ),
    (
        "200 a.example/\nserver: cloudflare",
        "<title>Hello</title><p>Hello.</p><script>window.__CF$cv$params={};a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'</script>",
    ),
    (
        "200 a.example/\nserver: cloudflare",
        "<title>App</title><div id=root></div><script>a.src='/cdn-cgi/challenge-platform/h/b/scripts/jsd/1/main.js'</script>",
    ),
    (
        "403 a.example/private\nserver: cloudflare",
        "<title>403 Forbidden</title><h1>Forbidden</h1><script>a.src='/cdn-cgi/challenge-platform/h/b/scripts/alpha/invisible.js'</script>",
    ),
    (
        "200 a.example/",
        "<title>App</title><div id=root></div><script src=https://cdn.spark.io/app.js></script>",
    ),
    (
        "200 a.example/",
        "<title>App</title><div id=root></div><script src=https://park.iowa.example/app.js></script>",
    ),
    (
        "200 a.example/",
        "<title>App</title><div id=root></div><script src=//jamesbodis.com/app.js></script>",
    ),
    (
        "200 a.example/",
        "<title>App</title><div id=root></div><script src=//my-voodoo.com/app.js></script>",
    ),
    (
        "200 a.example/contact",
        "<title>Contact</title><meta name=robots content=noindex><form><input name=mail><div class=g-recaptcha></div></form><script src=https://www.google.com/recaptcha/api.js></script>",
    ),
    (
        "200 a.example/login",
        "<title>Log in</title><p>Name and password, please.</p><form><div class=cf-turnstile></div></form><script src=https://challenges.cloudflare.com/turnstile/v0/api.js></script>",
    ),
    (
        "200 docs.example/captcha",
        "<title>The captcha widget</title><p>Puts a box on the page that lets people verify you are human.</p><div class=h-captcha></div>",
    ),
    (
        "200 blog.example/gates",
        "<title>Just a moment... that never ended</title><p>Cloudflare kept me out for a day.</p>",
    ),
    (
        "403 a.example/private",
        "<title>403 Forbidden</title><h1>Forbidden</h1><p>You have no right to see /private.</p>",
    ),
    (
        "403 a.example/private\nserver: cloudflare",
        "<title>403 Forbidden</title><h1>403 Forbidden</h1><hr>nginx",
    ),
    (
        "503 a.example/",
        "<title>Service Unavailable</title><h1>Down for maintenance</h1><p>We are back soon.</p>",
    ),
    ("429 a.example/", "<title>Too Many Requests</title><h1>Too Many Requests</h1>"),
    (
        "200 registrar.example/help",
        "<title>How to park a domain</title><p>A parked domain shows a page that says: buy this domain.</p>",
    ),
    (
        "200 registrar.example/",
        "<title>registrar.example</title><p>Names for everybody since 1999.</p>",
    ),
    (
        "200 shop.example/",
        "<title>shop.example</title><p>Shoes and boots.</p><p>Related searches</p><p>sandals</p>",
    ),
    (
        "200 a.example/",
        "<title>Welcome to nginx!</title><h1>Welcome to nginx!</h1><p>The web server runs.</p>",
    ),
    ("200 a.example/", ""),
    (
        "200 a.example/moved",
        "<title>Moved</title><meta http-equiv=refresh content='0;url=/new'><p>This page has moved.</p>",
    ),
    (
        "200 blog.example/404",
        "<title>404</title><meta name='article:published_time' content='2024-04-04'><p>Our film 404 was not found good by all.</p>",
    ),
];
