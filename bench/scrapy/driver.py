"""Crawls a web with Scrapy, for comparison: driver.py FOLDER CONCURRENCY PER_HOST SEED..."""

import os
import sys
from hashlib import sha1

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

FOLDER, CONCURRENCY, PER_HOST, *SEEDS = sys.argv[1:]


class Broad(Spider):
    """Saves every page and follows all its links."""

    name = "broad"
    links = LinkExtractor(unique=True)

    async def start(self):
        # Not `start_urls`, which would be fetched again where a page links to them.
        for seed in SEEDS:
            yield Request(seed, callback=self.parse)

    def parse(self, response):
        name = sha1(response.url.encode()).hexdigest()
        with open(os.path.join(FOLDER, name), "wb") as file:
            file.write(response.body)
        for link in self.links.extract_links(response):
            yield Request(link.url, callback=self.parse)


process = CrawlerProcess(
    {
        "AUTOTHROTTLE_ENABLED": False,
        "CONCURRENT_REQUESTS": int(CONCURRENCY),
        "CONCURRENT_REQUESTS_PER_DOMAIN": int(PER_HOST),
        "COOKIES_ENABLED": False,
        "DNSCACHE_ENABLED": True,
        "DOWNLOAD_DELAY": 0,
        "LOG_ENABLED": False,
        "RETRY_ENABLED": False,
        "ROBOTSTXT_OBEY": True,
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
        "TELNETCONSOLE_ENABLED": False,
        "USER_AGENT": "scrapy",
    }
)
process.crawl(Broad)
process.start()
