"""One normal form for the addresses of one article; never one for those of two."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval.url import host_of, is_web, normal, url_id
from retrieval.wrapped_url import unwrapped

ARTICLE = "https://www.daily.example/News/Bridge-1?id=3"
FORM = "http://daily.example/News/Bridge-1?id=3"


@pytest.mark.parametrize(
    "other",
    [
        "http://daily.example/News/Bridge-1?id=3",
        "HTTPS://WWW.Daily.Example:443/News/Bridge-1/?id=3#comments",
        "https://daily.example./News/Bridge-1?id=3",
        "https://m.daily.example/News/Bridge-1?id=3",
        "https://mobile.daily.example/News/Bridge-1?id=3",
        "https://www.m.daily.example/News/Bridge-1?id=3",
        "https://amp.daily.example/News/Bridge-1?id=3&amp=1",
        "https://www.daily.example/News/Bridge-1/amp/?id=3",
        "https://www.daily.example/amp/News/Bridge-1?id=3",
        "https://www.daily.example/News/amp/Bridge-1?id=3",
        "https://www.daily.example/News/Bridge-1.amp?id=3",
        "https://www.daily.example/News/Bridge-1/amp.html?id=3",
        "https://www.daily.example/News/Bridge-1?id=3&outputType=amp",
        "https://www.daily.example/News/Bridge-1?utm_source=feed&utm_medium=rss&id=3",
        "https://www.daily.example/News/Bridge-1?fbclid=a&gclid=b&id=3&_ga=c&wt_mc=d&ns_campaign=e",
        "https://www.daily.example/News/Bridge-1;jsessionid=0A1B?id=3&PHPSESSID=4",
        "https://www.daily.example/x/../News/./Bridge-1?id=3",
        "https://www.daily.example/News/%42ridge%2D1?%69d=3",
        "https://web.archive.org/web/20230515000000/https://www.daily.example/News/Bridge-1?id=3",
        "https://web.archive.org/web/20230515000000id_/http://daily.example/News/Bridge-1?id=3",
        "https://web.archive.org/web/2023*/https:/daily.example/News/Bridge-1?id=3",
        "https://web.archive.org/web/20230515/daily.example/News/Bridge-1?id=3",
        "https://web.archive.org/save/https://daily.example/News/Bridge-1?id=3",
        "https://web.archive.org/web/2023/https%3A%2F%2Fdaily.example%2FNews%2FBridge-1%3Fid%3D3",
        "https://archive.ph/2023.05.15-120000/https://www.daily.example/News/Bridge-1?id=3",
        "https://archive.today/newest/https://www.daily.example/News/Bridge-1?id=3",
        "https://archive.is/https://www.daily.example/News/Bridge-1?id=3",
        "https://archive.vn/o/AbCdE/https://www.daily.example/News/Bridge-1?id=3",
        "https://arquivo.pt/wayback/20230515120000/https://www.daily.example/News/Bridge-1?id=3",
        "https://wayback.archive-it.org/123/20230515120000/https://daily.example/News/Bridge-1?id=3",
        "https://www-daily-example.cdn.ampproject.org/c/s/www.daily.example/News/Bridge-1/amp/?id=3",
        "https://cdn.ampproject.org/v/s/amp.daily.example/News/Bridge-1?id=3&amp_js_v=0.1&usqp=x",
        "https://www.google.com/amp/s/www.daily.example/News/Bridge-1?id=3",
        "https://www.google.co.uk/amp/s/www.daily.example/News/Bridge-1?id=3",
        "https://www.google.com/url?sa=t&url=https%3A%2F%2Fwww.daily.example%2FNews%2FBridge-1%3Fid%3D3",
        "https://l.facebook.com/l.php?u=https%3A%2F%2Fwww.daily.example%2FNews%2FBridge-1%3Fid%3D3",
        "https://www-daily-example.translate.goog/News/Bridge-1?id=3&_x_tr_sl=de&_x_tr_tl=en",
        "http://webcache.googleusercontent.com/search?q=cache:ab-C1:https://daily.example/News/Bridge-1%3Fid%3D3",
        "https://archive.ph/2023/https://web.archive.org/web/2023/https://m.daily.example/News/Bridge-1?id=3",
    ],
)
def test_every_address_of_an_article_has_its_form(other: str) -> None:
    assert normal(other) == FORM
    assert url_id(other) == url_id(ARTICLE)


@pytest.mark.parametrize(
    ("one", "another"),
    [
        ("/vernota.asp?id_noticia=44619", "/vernota.asp?id_noticia=44620"),
        ("/mnews.asp?pk_no=1412361", "/mnews.asp?pk_no=1412362"),
        ("/showNews.do?a=1&objectId=5", "/showNews.do?a=1&objectId=6"),
        ("/story?p=1", "/story?p=2"),
        ("/News/A", "/news/a"),
        ("/a/b", "/a%2Fb"),
        ("/a?b", "/a%3Fb"),
        ("/%EC%E8%F0", "/%EC%E8%F1"),
        ("/?q=%EC%E8%F0", "/?q=%EC%E8%F1"),
        ("/#!/story/1", "/#!/story/2"),
        ("/camp/1", "/c/1"),
        ("/champ", "/ch"),
        (":8080/x", ":8081/x"),
    ],
)
def test_addresses_that_name_two_articles_keep_two_forms(one: str, another: str) -> None:
    assert normal(f"http://a.example{one}") != normal(f"http://a.example{another}")


@pytest.mark.parametrize(
    ("address", "form"),
    [
        ("http://amp.com.au/x", "http://amp.com.au/x"),
        ("http://m.ua/x", "http://m.ua/x"),
        ("https://en.m.wikipedia.org/wiki/A_(b)", "http://en.wikipedia.org/wiki/A_(b)"),
        ("https://archive.ph/AbCdE", "http://archive.ph/AbCdE"),
        ("https://web.archive.org/about/", "http://web.archive.org/about"),
        ("http://пример.рф/новость", "http://xn--e1afmkfd.xn--p1ai/новость"),
        ("http://xn--e1afmkfd.xn--p1ai/%D0%BD", "http://xn--e1afmkfd.xn--p1ai/н"),
        ("http://a.example/e%CC%81", "http://a.example/é"),
        ("http://a.example/x?a=1&amp;b=2", "http://a.example/x?a=1&b=2"),
        ("http://[2001:DB8::1]:80/x", "http://[2001:db8::1]/x"),
        ("https://www.google.com/amp/s/", "http://google.com/s"),
    ],
)
def test_a_form_is_as_expected(address: str, form: str) -> None:
    assert normal(address) == form


def test_an_archive_that_holds_itself_without_end_comes_to_an_end() -> None:
    deep = "https://archive.ph/2023/" * 50 + "https://a.example/x"
    assert is_web(normal(deep))
    assert unwrapped("http://[") == "http://["


HOSTS = st.sampled_from(
    ["a.example", "www.m.b.example", "archive.ph", "web.archive.org", "x.translate.goog",
     "www.google.com", "cdn.ampproject.org", "ä.example", "m.com.au", "[::1]", "1.2.3.4"]
)  # fmt: skip
PIECES = st.lists(
    st.one_of(
        st.sampled_from(
            ["/", "amp", ".amp", "/amp/", "/..", "/.", "%2e", "%2F", "%", "%EC", "%zz", "%E3%80%80",
             "%20", "%C3%A9", "?", "&", "=", "#", "#!/", ";", "+", "amp.html", ";jsessionid=1",
             "http://", "https://b.example/", "2023/", "utm_a=1", "id=3", "url=", "u=", "é",
             "\u0301", "\u037e", "//"]
        ),
        st.text(string.ascii_letters + string.digits + "-_.~", max_size=4),
    ),
    max_size=8,
).map("".join)  # fmt: skip


@given(HOSTS, PIECES)
def test_a_form_is_a_web_address_and_its_own_form(host: str, rest: str) -> None:
    address = f"https://{host}/{rest}"
    if not is_web(address):
        return
    form = normal(address)
    assert is_web(form)
    assert normal(form) == form


def test_a_host_is_compared_in_one_spelling() -> None:
    assert host_of("https://WWW.Daily.Example:8080/x") == "daily.example"
    assert host_of("http://пример.рф/") == "xn--e1afmkfd.xn--p1ai"
    assert host_of("nonsense") == host_of("http://[") == ""
